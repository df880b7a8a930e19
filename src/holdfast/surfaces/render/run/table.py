"""`run` on a terminal: a live table, a row for each job."""

import threading
from dataclasses import dataclass
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

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
from holdfast.surfaces.render.run.figures import Figures, figures_of
from holdfast.surfaces.render.run.lines import end_line, restart_line
from holdfast.surfaces.render.words import age, plain

_HEADER = ("job", "state", "batch", "rows in", "rows/s", "batch took", "lag", "last commit")
_DRAWN_PER_SECOND = 2


@dataclass(slots=True)
class _Row:
    state: str = "waiting"
    rows: int = 0
    figures: Figures | None = None
    seen_ms: int | None = None


class RunTable:
    """Draws on standard error; called from the threads of the jobs."""

    def __init__(self) -> None:
        """An empty table."""
        self._console = Console(stderr=True, highlight=False, markup=False)
        self._rows: dict[str, _Row] = {}
        self._lock = threading.Lock()
        self._live = Live(
            console=self._console,
            get_renderable=self._table,
            refresh_per_second=_DRAWN_PER_SECOND,
            transient=True,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_reason: object) -> None:
        self._live.stop()

    def __call__(self, event: RunEvent) -> None:
        """Take it into the table; what must not be missed is also a line above it."""
        match event:
            case Warned(finding=finding):
                self._say(f"! {finding.code} {finding.job}: {finding.message}")
            case Started(job=job):
                self._row(job).state = "running"
            case Progressed(job=job, progress=progress):
                row = self._row(job)
                row.figures = figures_of(progress)
                row.rows += row.figures.rows
                row.seen_ms = now_ms()
            case Unrecorded(job=job, reason=reason):
                self._say(f"! {job}: not all of its records could be written: {reason}")
            case Restarting(job=job):
                self._row(job).state = "restarting"
                self._say(restart_line(event))
            case Ended(result=result):
                self._row(result.job).state = result.end
                if result.is_bad:
                    self._say(end_line(event))

    def _row(self, job: str) -> _Row:
        with self._lock:
            return self._rows.setdefault(job, _Row())

    def _say(self, text: str) -> None:
        self._console.print(Text(plain(text)))

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="cyan")
        for index, name in enumerate(_HEADER):
            table.add_column(name, justify="right" if 2 <= index <= 5 else "left", no_wrap=True)
        with self._lock:
            rows = list(self._rows.items())
        for job, row in rows:
            table.add_row(*(Text(plain(cell)) for cell in _cells(job, row)))
        return table


def _cells(job: str, row: _Row) -> tuple[str, ...]:
    figures = row.figures
    if figures is None:
        return (job, row.state, *([""] * 6))
    rate = "" if figures.rows_per_second is None else f"{figures.rows_per_second:,.0f}"
    return (
        job,
        row.state,
        f"{figures.batch:,}",
        f"{row.rows:,}",
        rate,
        f"{figures.duration_ms:,} ms",
        figures.lag,
        age(row.seen_ms, now_ms()),
    )
