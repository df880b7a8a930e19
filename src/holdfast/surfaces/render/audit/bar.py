"""An audit on a terminal: one live line, and a line above it for what is bad."""

import threading
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from holdfast.adapters.clock import now_ms
from holdfast.core.crash.event import AuditEvent, Decided, Recorded, RecordingBegun, Undecided
from holdfast.surfaces.render.audit.lines import bad_line, begun_line, recorded_line
from holdfast.surfaces.render.words import count, duration, plain

_DRAWN_PER_SECOND = 2
_BAR_WIDTH = 24


class AuditBar:
    """Draws on standard error; called from the threads of the trials."""

    def __init__(self, console: Console | None = None) -> None:
        """Nothing is known yet."""
        self._console = console or Console(stderr=True, highlight=False, markup=False)
        self._lock = threading.Lock()
        self._begun_ms = now_ms()
        self._told_ms = self._begun_ms
        self._left_ms: int | None = None
        self._done = self._chosen = self._kills = self._bad = 0
        self._live = Live(
            console=self._console,
            get_renderable=self._line,
            refresh_per_second=_DRAWN_PER_SECOND,
            transient=True,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_reason: object) -> None:
        self._live.stop()

    def __call__(self, event: AuditEvent) -> None:
        """Take it into the line; what must not be missed is also said above it."""
        said = ""
        with self._lock:
            match event:
                case RecordingBegun():
                    said = begun_line(event)
                case Recorded(chosen=chosen):
                    self._chosen = chosen
                    said = recorded_line(event)
                case Decided(outcome=outcome, done=done, kills=kills):
                    self._done, self._kills = done, kills
                    if outcome.is_bad:
                        self._bad += 1
                        said = bad_line(outcome)
                case Undecided(kills=kills):
                    self._kills = kills
            if not isinstance(event, RecordingBegun):
                self._left_ms, self._told_ms = event.left_ms, now_ms()
        if said:
            self._console.print(Text(plain(said)))

    def _line(self) -> Table | Text:
        now = now_ms()
        with self._lock:
            if self._left_ms is None:
                return Text(f"recording, {duration(_whole(now - self._begun_ms))} so far")
            # Between two events the rest gets shorter too.
            left_ms = _whole(self._left_ms - (now - self._told_ms))
            told = (
                f"{self._done:,} of {self._chosen:,} points",
                f"about {duration(left_ms)} left" if left_ms > 0 else "nearly done",
                count(self._kills, "kill"),
                f"{self._bad:,} bad",
            )
            # Red is kept for what is bad.
            bar = ProgressBar(
                total=max(1, self._chosen),
                completed=self._done,
                width=_BAR_WIDTH,
                complete_style="cyan",
                finished_style="cyan",
            )
        grid = Table.grid(padding=(0, 2, 0, 0))
        style = "bold red" if self._bad else ""
        grid.add_row(bar, *(Text(text, style=style if "bad" in text else "") for text in told))
        return grid


def _whole(time_ms: int) -> int:
    """To the second: tenths only flicker."""
    return time_ms // 1_000 * 1_000
