"""One run of one job: how it began, how it ended, what it did; and which query it belongs to.

    identity.json                              which query this checkpoint belongs to
    runs/00000000000000000007.start            epoch 7 began: when, where, with what
    runs/00000000000000000007.fingerprint      what the query was made of
    runs/00000000000000000007.restart-0001     its query failed and was started again
    runs/00000000000000000007.end              how it ended; missing where it was killed

Every file is written once. Times are those of the writer's own clock: shown, never compared.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, TypeVar

RunEnd = Literal["drained", "stopped", "failed", "refused", "fenced"]

IDENTITY: Final = "identity.json"
RUNS: Final = "runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStart:
    """How a run began."""

    job: str
    epoch: int
    run_id: str
    """That of the lease's holder."""
    started_ms: int
    host: str
    pid: int
    user: str
    checkpoint: str
    profile: str
    master: str
    once: bool
    take_over: bool
    holdfast_version: str
    spark_version: str | None
    code_revision: str | None
    """Of the folder with the transforms, as git names it; None where it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRestart:
    """A query that failed from a cause that can pass, and was started again by the same run."""

    job: str
    epoch: int
    number: int
    at_ms: int
    code: str
    cause: str
    wait_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """How a run ended."""

    job: str
    end: RunEnd
    epoch: int | None
    query_id: str | None
    batches: int
    rows: int
    last_batch: int | None
    duration_ms: int
    cause: str
    """Why it failed or was refused; empty where it did not."""
    next_action: str = ""
    code: str = ""
    """The stable code of the cause, empty where there is none."""
    exit_code: int = 0
    started_ms: int = 0
    ended_ms: int = 0
    restarts: int = 0

    @property
    def is_bad(self) -> bool:
        """Whether somebody has to look at it."""
        return self.end in ("failed", "refused", "fenced")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which query a checkpoint belongs to, written once beside it."""

    job: str
    query_id: str
    checkpoint: str
    """Where it lies, as the declaration shows it: a value from the environment by its name."""
    place: str = ""
    """Digest of where it really lies; empty in what was written before there was one."""


Record = RunStart | RunRestart | RunResult | Identity
R = TypeVar("R", RunStart, RunRestart, RunResult, Identity)


def encode_record(record: Record) -> bytes:
    """A record as it is stored."""
    return json.dumps(asdict(record), indent=1).encode() + b"\n"


def decode_record(kind: type[R], data: bytes) -> R | None:
    """Read a record back; None where it is not what we write. Fields of later releases are let be.

    A field that an earlier release did not write takes its default.
    """
    try:
        value: Any = json.loads(data)
        if not isinstance(value, Mapping):
            return None
        known = {field.name for field in fields(kind)}
        return kind(**{name: item for name, item in value.items() if name in known})
    except (ValueError, TypeError, RecursionError):
        return None


def start_name(epoch: int) -> str:
    """Where the beginning of a run is written down."""
    return f"{RUNS}/{epoch:020d}.start"


def fingerprint_name(epoch: int) -> str:
    """Where it is written down what its query was made of."""
    return f"{RUNS}/{epoch:020d}.fingerprint"


def restart_name(epoch: int, number: int) -> str:
    """Where a restart inside a run is written down."""
    return f"{RUNS}/{epoch:020d}.restart-{number:04d}"


def end_name(epoch: int) -> str:
    """Where the end of a run is written down."""
    return f"{RUNS}/{epoch:020d}.end"
