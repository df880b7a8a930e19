"""`run` where nobody watches: a line at every turn, and one now and then while batches go by."""

import sys
import threading
from contextlib import suppress
from typing import Self

from holdfast.adapters.clock import now_ms
from holdfast.core.running.event import (
    Ended,
    Progressed,
    Restarting,
    RunEvent,
    Started,
    Unrecorded,
    Warned,
)
from holdfast.surfaces.render.run.figures import figures_of
from holdfast.surfaces.render.words import plain

LINE_EVERY_MS = 10_000
"""Between two lines of one job's progress; a line for every batch would fill a log by night."""


class RunLines:
    """Writes to standard error; called from the threads of the jobs."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._said_ms: dict[str, int] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_reason: object) -> None:
        with suppress(OSError):
            sys.stderr.flush()

    def __call__(self, event: RunEvent) -> None:
        """Say it, if it is worth a line."""
        text = self._line(event)
        if text:
            # Nobody may listen any more (`2>&1 | head`): the job goes on all the same.
            with self._lock, suppress(OSError):
                sys.stderr.write(f"{plain(text)}\n")
                sys.stderr.flush()

    def _line(self, event: RunEvent) -> str:
        match event:
            case Warned(finding=finding):
                return f"! {finding.code} {finding.job}: {finding.message}"
            case Started():
                return f"{event.job}: started, query {event.query_id}, epoch {event.epoch}"
            case Progressed(job=job, progress=progress):
                if now_ms() - self._said_ms.get(job, 0) < LINE_EVERY_MS:
                    return ""
                self._said_ms[job] = now_ms()
                figures = figures_of(progress)
                lag = f", {figures.lag} behind" if figures.lag else ""
                return (
                    f"{job}: batch {figures.batch:,}, {figures.rows:,} rows in "
                    f"{figures.duration_ms:,} ms{lag}"
                )
            case Unrecorded(job=job, reason=reason):
                return f"! {job}: not all of its records could be written: {reason}"
            case Restarting():
                return restart_line(event)
            case Ended():
                return end_line(event)


def restart_line(event: Restarting) -> str:
    """A failure that can pass, its cause, and when the query starts again."""
    return (
        f"{event.job}: failed, starts again in {event.restart.wait_ms / 1000:.0f} s "
        f"(restart {event.restart.number}): {event.restart.code} {event.restart.cause}"
    )


def end_line(event: Ended) -> str:
    """How a job ended."""
    result = event.result
    why = f": {result.code} {result.cause}" if result.cause else ""
    return f"{result.job}: {result.end} after {result.batches:,} batches, {result.rows:,} rows{why}"
