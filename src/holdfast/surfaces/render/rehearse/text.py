"""A rehearsal for a person: does it start, what would it write, is production as it was."""

from holdfast.audit.rehearse import Rehearsed
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.rehearse.answer import ROWS_SHOWN_MAX, batch_result
from holdfast.surfaces.render.words import duration

_CHANGED_SHOWN_MAX = 5


def print_rehearsed(done: Rehearsed) -> None:
    """Print the page."""
    page = Page()
    page.say()
    if done.starts:
        page.pieces(
            [("IT STARTS  ", "bold green"), (f"{done.job} on a twin of {done.location}", "")]
        )
    else:
        page.pieces([("IT FAILS  ", "bold red"), (f"{done.job} on a twin of {done.location}", "")])
        page.say(done.end.cause if done.end else done.last_words)
        if done.end and done.end.next_action:
            page.say(f"next: {done.end.next_action}")
    page.say()
    _print_batches(page, done)
    _print_rows(page, done)
    page.rows(
        [
            ("production", _production(done)),
            ("judge", f"resume is {done.verdict.answer.upper()} with this code"),
            ("kept in", done.folder),
        ]
    )
    for finding in done.verdict.findings:
        if finding.weight != "note":
            page.say(f"{finding.code}  {finding.message}")


def _print_batches(page: Page, done: Rehearsed) -> None:
    if not done.batches:
        page.say("No batch was run: there was nothing to read.")
        return
    rows = [
        [f"{told['batch']}", f"{told['rows_in']:,}", duration(told["duration_ms"] or 0)]
        for told in map(batch_result, done.batches)
    ]
    page.table(["batch", "rows in", "took"], rows)
    page.say()


def _print_rows(page: Page, done: Rehearsed) -> None:
    rows = done.written.rows
    page.say(f"{len(rows):,} rows in the shadow of the sink", style="bold")
    if rows:
        shown = [list(row) for row in rows[:ROWS_SHOWN_MAX]]
        page.table(list(done.written.columns), shown)
    page.say()


def _production(done: Rehearsed) -> str:
    if not done.changed:
        return "untouched: checkpoint and sink are as they were"
    shown = ", ".join(done.changed[:_CHANGED_SHOWN_MAX])
    more = len(done.changed) - _CHANGED_SHOWN_MAX
    names = f"{shown}{f' and {more} more' if more > 0 else ''}"
    if done.was_running:
        return f"went on by itself meanwhile: {names}"
    return f"CHANGED meanwhile, and nobody runs it: {names}"
