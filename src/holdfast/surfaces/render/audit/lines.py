"""An audit where nobody watches: what is bad at once, and one line now and then."""

import sys
import threading
from contextlib import suppress
from typing import Self

from holdfast.adapters.clock import now_ms
from holdfast.core.crash.event import AuditEvent, Decided, Recorded, RecordingBegun, Undecided
from holdfast.core.crash.outcome import Outcome
from holdfast.core.microbatch import CRASH_POINTS
from holdfast.surfaces.render.audit.wording import batch_of, harm
from holdfast.surfaces.render.words import count, duration, plain

LINE_EVERY_MS = 10_000
"""Between two lines of progress; a line for every point would fill a log."""


class AuditLines:
    """Writes to standard error; called from the threads of the trials, one at a time."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._said_ms = 0
        self._bad = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_reason: object) -> None:
        with suppress(OSError):
            sys.stderr.flush()

    def __call__(self, event: AuditEvent) -> None:
        """Say it, if it is worth a line."""
        with self._lock:
            text = self._line(event)
            if text:
                # Nobody may listen any more (`2>&1 | head`): the audit goes on all the same.
                with suppress(OSError):
                    sys.stderr.write(f"{plain(text)}\n")
                    sys.stderr.flush()

    def _line(self, event: AuditEvent) -> str:
        if isinstance(event, Decided) and event.outcome.is_bad:
            self._bad += 1
            return bad_line(event.outcome)
        if isinstance(event, Decided | Undecided) and now_ms() - self._said_ms < LINE_EVERY_MS:
            return ""
        self._said_ms = now_ms()
        match event:
            case RecordingBegun():
                return f"{begun_line(event)} (Spark starts, some seconds)"
            case Recorded():
                return recorded_line(event)
            case Decided():
                told = f"{count(event.kills, 'kill')}, {self._bad:,} bad"
                left = f"about {duration(event.left_ms)} left"
                return f"  {event.done:,} of {event.chosen:,} points, {told}, {left}"
            case Undecided():
                points = count(len(event.points), "point")
                return f"  {points} to be tried again, alone; about {duration(event.left_ms)} left"


def begun_line(event: RecordingBegun) -> str:
    """The undisturbed run."""
    return f"recording {event.title}: one undisturbed run"


def recorded_line(event: Recorded) -> str:
    """What it gave, and how long the kills will take."""
    points = count(len(event.points), "crash point")
    what = f"{points} in {count(event.batches, 'batch')}, {count(event.rows, 'row')}"
    some = "" if event.chosen == len(event.points) else f"; {event.chosen:,} to be tried"
    left = f"; about {duration(event.left_ms)} left" if event.chosen else ""
    return f"recorded {what}, in {duration(event.duration_ms)}{some}{left}"


def bad_line(outcome: Outcome) -> str:
    """A point that convicts."""
    point = outcome.point
    where = f"{batch_of(point)}, {CRASH_POINTS[point.stage]}"
    fault = "" if outcome.fault == "kill" else f", {outcome.fault}"
    return f"! point {point.number:,} ({where}{fault}): {outcome.kind}: {harm(outcome)}"
