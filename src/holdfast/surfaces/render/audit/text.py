"""An audit for a person: a mark for each kill, by the step of the batch it fell in."""

from holdfast.audit.audit import Audited
from holdfast.core.crash.outcome import BAD, Outcome
from holdfast.core.microbatch import CRASH_POINTS
from holdfast.surfaces.render.audit.columns import Line, laid_out
from holdfast.surfaces.render.audit.wording import (
    MARKS,
    MEANINGS,
    batch_of,
    harm,
    holds_for,
    recorded,
    struck_at,
    tally,
    verdict,
)
from holdfast.surfaces.render.page import Page

_BAD_SHOWN_MAX = 10
_MARGIN = 4
_STYLES = {MARKS[kind]: "bold red" if kind in BAD else "" for kind in MARKS}


def print_audit(done: Audited, report: str | None = None) -> None:
    """Print the page; report is where the page in HTML lies."""
    page = Page()
    page.say()
    _heading(page, done)
    page.say()
    _matrix(page, done)
    page.say()
    page.say(" · ".join(tally(done)))
    page.say(
        verdict(done),
        {"proven": "bold green", "convicted": "bold red"}.get(done.verdict.kind, "bold"),
    )
    if done.verdict.kind != "proven":
        page.say(f"  for: {holds_for(done)}")
    _bad(page, done)
    if report is not None:
        page.say()
        page.say(f"report: {report}")


def _heading(page: Page, done: Audited) -> None:
    title, what = f"audit of {done.title}", recorded(done)
    if len(title) + len(what) + _MARGIN + 3 <= page.width:
        page.say(f"{title}   {what}")
    else:
        page.say(title)
        page.say(what)


def _matrix(page: Page, done: Audited) -> None:
    marks: dict[str, list[str]] = {}
    for outcome in done.outcomes:
        marks.setdefault(outcome.point.stage, []).append(MARKS[outcome.kind])
    rows = [
        (f"{stage:<3} {meaning}", marks[stage])
        for stage, meaning in CRASH_POINTS.items()
        if stage in marks
    ]
    for line in laid_out(rows, page.width - _MARGIN):
        page.pieces(_pieces(line))
    used = [kind for kind in MARKS if any(each.kind == kind for each in done.outcomes)]
    if used:
        page.say()
        page.say("   ".join(f"{MARKS[kind]} {MEANINGS[kind]}" for kind in used))


def _pieces(line: Line) -> list[tuple[str, str]]:
    pieces = [("  ", "")]
    for cell in line:
        pieces.append((cell.label, "cyan"))
        for number, mark in enumerate(cell.marks):
            pieces += [(" ", ""), (mark, _STYLES[mark])] if number else [(mark, _STYLES[mark])]
        pieces.append((" " * cell.after, ""))
    return pieces


def _bad(page: Page, done: Audited) -> None:
    if done.undisturbed is not None:
        page.say()
        page.say(f"  no kill at all, and not the answer: {done.undisturbed.comparison.told}")
        for example in done.undisturbed.examples:
            page.say(f"      {example}")
    bad = [outcome for outcome in done.outcomes if outcome.is_bad]
    for outcome in bad[:_BAD_SHOWN_MAX]:
        page.say()
        _bad_one(page, done, outcome)
    if len(bad) > _BAD_SHOWN_MAX:
        page.say()
        page.say(f"  … and {len(bad) - _BAD_SHOWN_MAX:,} more, in the report and in --output json")


def _bad_one(page: Page, done: Audited, outcome: Outcome) -> None:
    point = outcome.point
    page.say(f"  point {point.number}, {batch_of(point)}: {struck_at(outcome)} {point.text}")
    page.say(f"    {point.stage} {CRASH_POINTS[point.stage]}; {outcome.left}".rstrip("; "))
    page.say(f"    → {harm(outcome)}")
    for example in outcome.examples:
        page.say(f"        {example}")
    page.say(f"    again: {done.replay(outcome)}")
    if outcome.folder:
        page.say(f"    kept:  {outcome.folder}")
