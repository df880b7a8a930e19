"""How a job is doing, from its lease and the records of its newest run."""

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeVar, get_args

from holdfast.core.fact import Absent, Fact, Known, Unreadable
from holdfast.core.running.lease import Epoch
from holdfast.core.running.run import RunRestart, RunResult, RunStart, decode_record

RunStatus = Literal[
    "running",
    "drained",
    "stopped",
    "failed",
    "refused",
    "fenced",
    "killed",
    "elsewhere",
    "unknown",
    "never-run",
    "unreachable",
]
"""`elsewhere`: held by a process of another machine, and whether it lives is not known from here.
`unknown`: the records do not say how it ended."""

BAD: Final[frozenset[RunStatus]] = frozenset({"failed", "refused", "fenced"})
"""Ends that somebody has to look at. A killed run is not among them: the next start goes on."""

R = TypeVar("R", RunStart, RunRestart, RunResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecords:
    """What is written down about one run."""

    epoch: int
    start: Fact[RunStart]
    end: Fact[RunResult]
    restarts: tuple[Fact[RunRestart], ...]


def read_run_record(kind: type[R], origin: str, data: bytes | None) -> Fact[R]:
    """A record of a run as a fact; one whose fields hold something else is unreadable."""
    if data is None:
        return Absent(origin)
    record = decode_record(kind, data)
    if record is None or not _is_whole(record):
        return Unreadable(origin, "it does not hold what Holdfast writes", "HF004")
    return Known(record, origin)


def judge_run(
    newest: Epoch | None, end: Fact[RunResult], *, here: bool, alive: bool | None
) -> RunStatus:
    """How the run of the newest epoch is doing.

    `here` says that its holder shares this machine's place, and `alive` what the machine says of
    the process then. Of a holder elsewhere nothing is guessed.
    """
    if isinstance(end, Known):
        return end.value.end
    if isinstance(end, Unreadable):
        return "unknown"
    if newest is None:
        return "never-run"
    if newest.released:
        return "unknown"
    if not here:
        return "elsewhere"
    if alive is None:
        return "unknown"
    return "running" if alive else "killed"


def judge_earlier_run(end: Fact[RunResult]) -> RunStatus:
    """How a run ended that a later epoch followed: without a word means that it was killed."""
    if isinstance(end, Known):
        return end.value.end
    return "unknown" if isinstance(end, Unreadable) else "killed"


def _is_whole(record: object) -> bool:
    """Whether every field holds a value of its kind: a damaged record may still be JSON."""
    return all(_fits(getattr(record, field.name), field.type) for field in fields(record))  # type: ignore[arg-type]


def _fits(value: object, kind: Any) -> bool:
    choices = get_args(kind)
    if choices and all(isinstance(choice, str) for choice in choices):
        return value in choices
    if isinstance(value, bool) and kind is not bool:
        return False
    return isinstance(value, kind)
