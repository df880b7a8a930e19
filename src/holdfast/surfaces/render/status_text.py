"""`status` for a person: a line for each job, then why and what to do next."""

import sys
import time
from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from holdfast.core.recording.progress import duration_ms, lags, number, whole
from holdfast.flows.status import JobStatus, Status
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.words import age, count, duration, moment, plain, size

_HEADER = (
    "job",
    "status",
    "epoch",
    "last commit",
    "batch",
    "in flight",
    "rows",
    "rows/s",
    "took",
    "lag",
    "restarts",
)
_NUMBERS = (2, 4, 5, 6, 7, 8, 10)
_REDRAW_S = 2.0
_LINE_EVERY_S = 30.0
_QUIET = frozenset({"running", "drained", "stopped"})
"""Statuses about which there is nothing more to say."""


def print_status(found: Status, now_ms: int, page: Page | None = None) -> None:
    """Print the table, and what somebody should know beside it."""
    page = page or Page()
    page.say()
    rows = [_row(job, now_ms) for job in found.jobs]
    page.table(_HEADER, rows, indent=2, right=len(_HEADER), numbers=_NUMBERS)
    page.say()
    for job in found.jobs:
        _holder(page, job, now_ms)
        if job.cause:
            page.say(f"{job.name}: {job.cause}")
        if job.status not in _QUIET:
            page.say(f"next for {job.name}: {job.next_command}")
    page.findings(found.findings)


def watch(look: Callable[[], Status], now_ms: Callable[[], int]) -> None:
    """Look again and again until Ctrl-C: in place on a terminal, a line now and then elsewhere."""
    try:
        if sys.stdout.isatty():
            _redraw(look, now_ms)
        else:
            while True:
                for job in look().jobs:
                    sys.stdout.write(f"{moment(now_ms())} {_line(job, now_ms())}\n")
                sys.stdout.flush()
                time.sleep(_LINE_EVERY_S)
    except KeyboardInterrupt:
        return


def _redraw(look: Callable[[], Status], now_ms: Callable[[], int]) -> None:
    with Live(auto_refresh=False, screen=False) as live:
        while True:
            text = StringIO()
            console = Console(
                file=text,
                highlight=False,
                markup=False,
                force_terminal=True,
                width=live.console.width,
                color_system="standard",
            )
            print_status(look(), now_ms(), Page(console))
            live.update(Text.from_ansi(text.getvalue()), refresh=True)
            time.sleep(_REDRAW_S)


def _row(job: JobStatus, now_ms: int) -> tuple[str, ...]:
    batches = job.batches
    return (
        job.name,
        job.status.replace("-", " "),
        _number(job.epoch),
        _committed(job, now_ms),
        _number(batches.committed),
        "" if batches.in_flight is None else f"{batches.in_flight:,}",
        *progress_cells(job.progress),
        lag_text(job.progress),
        f"{job.restarts:,}" if job.restarts else "",
    )


def progress_cells(progress: Mapping[str, Any] | None) -> tuple[str, str, str]:
    """Rows, rows a second and duration of a batch; `-` where Spark did not say."""
    if progress is None:
        return ("-", "-", "-")
    speed = number(progress, "processedRowsPerSecond")
    took = duration_ms(progress)
    return (
        _number(whole(progress, "numInputRows")),
        "-" if speed is None else f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}",
        "-" if took is None else duration(took),
    )


def lag_text(progress: Mapping[str, Any] | None) -> str:
    """How far behind the sources say they are, and what they count."""
    found = lags(progress) if progress is not None else ()
    return ", ".join(
        f"{size(int(lag.amount))}" if lag.counts == "bytes" else f"{lag.amount:,.0f} {lag.counts}"
        for lag in found
    )


def _committed(job: JobStatus, now_ms: int) -> str:
    committed = job.batches.committed
    if job.batches.problem:
        return "unknown"
    if committed is None:
        return "never"
    return age(job.batches.committed_at_ms.get(committed), now_ms)


def _holder(page: Page, job: JobStatus, now_ms: int) -> None:
    holder = job.holder
    if holder is None or job.status not in ("running", "elsewhere", "killed", "unknown"):
        return
    who = f"pid {holder.pid} on {holder.host} (user {holder.user})"
    since = f"since {moment(holder.started_ms)} ({age(holder.started_ms, now_ms)})"
    if job.status == "running":
        text = f"runs as {who} {since}"
    elif job.status == "killed":
        text = f"was killed: {who} is gone and wrote no end; it had begun {since[6:]}"
    elif job.status == "elsewhere":
        beats = "no beat seen" if job.beats is None else count(job.beats, "beat")
        text = f"is held by {who} {since}; whether it lives is not known from here ({beats})"
    else:
        text = f"was last held by {who} {since}; how it ended is not written down"
    page.say(f"{job.name} {text}")


def _line(job: JobStatus, now_ms: int) -> str:
    rows, speed, took = progress_cells(job.progress)
    commit = f"batch {_number(job.batches.committed)} committed {_committed(job, now_ms)}"
    return plain(f"{job.name}: {job.status}, {commit}, {rows} rows, {speed} rows/s, {took}")


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
