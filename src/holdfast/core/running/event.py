"""What happens while jobs run, as it is told to whoever shows it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.running.run import RunRestart, RunResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """A guard found something odd, and the job runs all the same."""

    finding: GuardFinding


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A query runs."""

    job: str
    epoch: int
    query_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A batch was committed; the progress has Spark's own field names."""

    job: str
    progress: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarting:
    """A query failed from a cause that can pass, and will be started again."""

    job: str
    restart: RunRestart
    next_action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A job is over."""

    result: RunResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrecorded:
    """The job ran, but progress, seals or its end could not be written down."""

    job: str
    reason: str


RunEvent = Unrecorded | Warned | Started | Progressed | Restarting | Ended
Tell = Callable[[RunEvent], None]


def tell_nobody(_event: RunEvent) -> None:
    """Nobody listens."""
