"""What an audit tells while it works."""

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.core.crash.outcome import Outcome
from holdfast.core.crash.point import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingBegun:
    """The undisturbed run starts."""

    title: str
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The undisturbed run is over; these points will be killed."""

    points: tuple[Point, ...]
    batches: int
    rows: int
    duration_ms: int
    chosen: int
    left_ms: int
    """About how long it takes to kill at them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One point is done."""

    outcome: Outcome
    done: int
    chosen: int
    kills: int
    """All so far, also those that decided nothing."""
    left_ms: int
    """About how long the rest takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A trial is over that does not tell what these points did: each is tried again, alone."""

    points: tuple[Point, ...]
    kills: int
    left_ms: int


AuditEvent = RecordingBegun | Recorded | Decided | Undecided
TellAudit = Callable[[AuditEvent], None]


def tell_nobody(_event: AuditEvent) -> None:
    """The ordinary listener."""
