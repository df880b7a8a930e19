"""One run of one job: how it began, how it ended, what it did."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

RunEnd = Literal["drained", "stopped", "failed", "refused", "fenced"]


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

    def encode(self) -> bytes:
        """As it is stored."""
        return json.dumps(asdict(self), indent=1).encode()


def decode_identity(data: bytes) -> Identity | None:
    """Read it back; None where it is not what we write."""
    try:
        value: Any = json.loads(data)
        return Identity(
            job=str(value["job"]),
            query_id=str(value["query_id"]),
            checkpoint=str(value["checkpoint"]),
        )
    except (ValueError, KeyError, TypeError):
        return None


def encode_record(record: RunResult) -> bytes:
    """A record as it is stored."""
    return json.dumps(asdict(record), indent=1).encode()


def end_name(epoch: int) -> str:
    """Where the end of a run is written down."""
    return f"runs/{epoch:020d}.end"


IDENTITY = "identity.json"
