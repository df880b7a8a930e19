"""SIGKILL in the middle of a batch: not before its plan is there, not after its commit."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.adapters.clock import now_ms
from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.core.demo.event import JobSeen, KillDone, KillMissed, TellDemo
from holdfast.errors import UnreachableError
from holdfast.flows.show import Shown, show

STARTS_MAX = 3
"""How often the jobs are started for a kill; each start can offer several batches to try."""

_POLL_S = 0.003
"""Batches of the demo take some hundred milliseconds."""
_FAR_POLL_S = 0.05
"""While the job that is to be killed has not begun."""
_WITHIN_S = 300.0
"""For one start; a slow machine needs a minute."""
_AIM = 0.4
"""How far into a batch the kill comes, as a part of the batch before."""
_FIRST_AIM_S = 0.1
"""How long into a batch the kill comes as long as no batch was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """A batch that was killed, and what the reader says of its checkpoint afterwards."""

    batch: int
    shown: Shown
    shown_at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What came of trying."""

    starts: int
    """How often the jobs were started for it."""
    kill: Kill | None = None
    """None where no kill hit a batch."""
    ended: int | None = None
    """The exit code of the last start, None where it was killed."""


def kill_in_a_batch(
    start: Callable[[int], ProcessGroup], checkpoint: Path, tell: TellDemo
) -> Attempt:
    """Start the jobs and kill them in a batch of one.

    A kill counts only where the reader finds the batch planned and not committed afterwards.
    """
    for number in range(1, STARTS_MAX + 1):
        with start(number) as group:
            ended = _Watch(group, checkpoint, tell).until_killed()
        if ended is not None:
            return Attempt(starts=number, ended=ended)
        shown = show(str(checkpoint))
        in_flight = shown.checkpoint.in_flight
        if in_flight is not None:
            tell(KillDone(batch=in_flight))
            kill = Kill(batch=in_flight, shown=shown, shown_at_ms=now_ms())
            return Attempt(starts=number, kill=kill)
    return Attempt(starts=STARTS_MAX)


@dataclass(slots=True)
class _Watch:
    """One start, watched from outside by the files that Spark writes."""

    group: ProcessGroup
    checkpoint: Path
    tell: TellDemo
    aim_s: float = _FIRST_AIM_S
    planned: dict[int, float] = field(default_factory=dict)
    """Batches that were seen in flight, and since when."""
    missed: set[int] = field(default_factory=set)
    jobs: set[str] = field(default_factory=set)

    def until_killed(self) -> int | None:
        """Kill the group in a batch; the exit code where it ended before that."""
        deadline = time.monotonic() + _WITHIN_S
        while time.monotonic() < deadline:
            ended = self.group.ended()
            if ended is not None:
                return ended
            if self._look():
                return None
            self._tell_of_jobs()
            time.sleep(_POLL_S if self.checkpoint.name in self.jobs else _FAR_POLL_S)
        raise UnreachableError(
            f"the jobs neither ended nor could be killed in a batch within {_WITHIN_S:.0f} s",
            subject=str(self.checkpoint),
            next_action="`holdfast doctor` says what is wrong with this machine",
        )

    def _look(self) -> bool:
        """Look once; True where the group was killed."""
        batch = _in_flight(self.checkpoint)
        now = time.monotonic()
        self._measure(batch, now)
        if batch is None:
            return False
        since = self.planned.setdefault(batch, now)
        # The first batch is left alone: there should be something to lose.
        if batch == 0 or batch in self.missed or now - since < self.aim_s:
            return False
        self.group.pause()
        if _in_flight(self.checkpoint) == batch:
            self.group.kill()
            return True
        self.missed.add(batch)
        self.tell(KillMissed(batch=batch))
        self.group.go_on()
        return False

    def _measure(self, batch: int | None, now: float) -> None:
        """Once a batch is over, aim well inside the next one, which may be shorter."""
        over = [since for number, since in self.planned.items() if number != batch]
        if over:
            self.aim_s = min(now - since for since in over) * _AIM
            self.planned = {n: since for n, since in self.planned.items() if n == batch}

    def _tell_of_jobs(self) -> None:
        new = [name for name in _names(self.checkpoint.parent) if name not in self.jobs]
        for job in new:
            self.jobs.add(job)
            if not job.startswith(("_", ".")):
                self.tell(JobSeen(job=job))


def _in_flight(checkpoint: Path) -> int | None:
    """The newest batch that has a plan, where it has no commit."""
    planned = [int(name) for name in _names(checkpoint / "offsets") if name.isdigit()]
    if not planned:
        return None
    newest = max(planned)
    return None if (checkpoint / "commits" / str(newest)).exists() else newest


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
