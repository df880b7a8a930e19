"""`history` for a person: runs, restarts inside them, batches; newest first."""

from holdfast.core.fact import Known
from holdfast.core.recording.progress import began_ms
from holdfast.flows.history import JobHistory, PastBatch, PastRun
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.status_text import lag_text, progress_cells
from holdfast.surfaces.render.words import age, count, duration, moment

_RUNS = ("epoch", "began", "ended", "took", "batches", "rows", "host", "Spark", "code", "why")
_BATCHES = ("batch", "began", "committed", "rows", "rows/s", "took", "lag")
_REVISION = 10
"""Characters of a revision that are shown, as git does."""


def print_history(found: JobHistory, now_ms: int) -> None:
    """Print runs, then batches."""
    page = Page()
    page.say()
    if not found.runs:
        page.say(f"{found.name}: no run of Holdfast is recorded.")
    else:
        page.say(f"{found.name}: {count(found.runs_in_all, 'run')}, the newest first", "bold")
        rows = [_run_row(run) for run in found.runs]
        page.table(_RUNS, rows, indent=2, right=len(_RUNS), numbers=(0, 3, 4, 5))
        for run in found.runs:
            _restarts(page, run)
    page.say()
    if found.batches:
        page.say("batches, the newest first", "bold")
        rows = [_batch_row(batch, now_ms) for batch in found.batches]
        page.table(_BATCHES, rows, indent=2, right=len(_BATCHES), numbers=(0, 3, 4, 5))
        if any(batch.progress is None for batch in found.batches):
            page.say("- of a batch nothing but its commit is known: no progress is recorded")
    else:
        page.say("no batch is known")
    page.findings(found.findings)


def _run_row(run: PastRun) -> tuple[str, ...]:
    records, holder = run.records, run.holder
    start = records.start.value if isinstance(records.start, Known) else None
    end = records.end.value if isinstance(records.end, Known) else None
    began = start.started_ms if start else holder.started_ms if holder else None
    host = start.host if start else holder.host if holder else "unknown"
    return (
        f"{records.epoch:,}",
        moment(began),
        run.status,
        duration(end.duration_ms) if end else "-",
        f"{end.batches:,}" if end else "-",
        f"{end.rows:,}" if end else "-",
        host,
        (start.spark_version if start else None) or "-",
        ((start.code_revision if start else None) or "-")[:_REVISION],
        end.cause if end else "",
    )


def _restarts(page: Page, run: PastRun) -> None:
    for fact in run.records.restarts:
        if isinstance(fact, Known):
            restart = fact.value
            why = " ".join(part for part in (restart.code, restart.cause) if part)
            page.say(
                f"epoch {run.records.epoch:,}, restart {restart.number:,} at "
                f"{moment(restart.at_ms)} after {duration(restart.wait_ms)}: {why}"
            )


def _batch_row(batch: PastBatch, now_ms: int) -> tuple[str, ...]:
    began = began_ms(batch.progress) if batch.progress is not None else None
    committed = batch.committed_at_ms
    return (
        f"{batch.batch:,}",
        "-" if began is None else moment(began),
        "-" if committed is None else f"{moment(committed)} ({age(committed, now_ms)})",
        *progress_cells(batch.progress),
        lag_text(batch.progress),
    )
