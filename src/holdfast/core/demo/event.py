"""What the demo does now, as it is told to whoever shows it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectWritten:
    """The project lies in its folder, with its data."""

    folder: str
    files: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """`holdfast run --once` was started, for the nth time."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSeen:
    """A job of the run has begun to write its checkpoint."""

    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KillMissed:
    """A batch was over before it could be killed."""

    batch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KillDone:
    """The whole process group is gone, in the middle of a batch."""

    batch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchQueryStarted:
    """One batch query over all the input runs."""


DemoEvent = ProjectWritten | RunStarted | JobSeen | KillMissed | KillDone | BatchQueryStarted
TellDemo = Callable[[DemoEvent], None]


def tell_nobody(_event: DemoEvent) -> None:
    """Nobody listens."""
