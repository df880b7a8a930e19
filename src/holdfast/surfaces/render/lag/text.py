"""`lag` for a person: each source, its partitions, what is left, and what is wrong."""

from holdfast.core.evidence.source_state import (
    PartState,
    SourceState,
    lag_records_total,
    lag_total,
    sameness,
    time_behind,
    time_left,
)
from holdfast.flows.sources.lag import Lag
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.words import count, duration

_PARTS_MAX = 60
"""Rows of one source's table, those with the most to read; a topic can have thousands."""

_COLUMNS = ("partition", "stored", "earliest", "end", "lag", "behind", "retention leaves")
_LEFT = {
    "nothing-unread": "nothing unread",
    "already-gone": "gone",
    "kept-for-ever": "for ever",
    "unknown": "unknown",
}
_SAME = {"same": "the same as when the position was stored", "other": "ANOTHER ONE"}


def print_lag(found: Lag) -> None:
    """Print every source, then findings."""
    page = Page()
    page.say()
    if not found.sources:
        page.say("No batch was ever planned here: there is no position to be behind.")
    elif found.batch is None:
        page.say("No batch is finished yet; lag counts from where the first one begins.", "bold")
    else:
        page.say(f"Lag after batch {found.batch:,}, the newest that is done.", "bold")
    for state in found.sources:
        page.say()
        _source(page, state, found.now_ms)
    if found.mirrored is not None:
        page.say()
        partitions = count(found.mirrored.partitions, "partition")
        page.say(f"written as offsets of consumer group {found.mirrored.group}: {partitions}")
    page.say()
    page.findings(found.findings)


def _source(page: Page, state: SourceState, now_ms: int) -> None:
    where = f"  {state.where}" if state.where else ""
    page.rows([(f"source {state.position}", f"{state.kind}{where}")])
    if state.parts:
        ordered = sorted(state.parts, key=lambda part: -(part.lag or 0))[:_PARTS_MAX]
        kept = {part.name for part in ordered}
        rows = [_row(part, now_ms) for part in state.parts if part.name in kept]
        page.table(_COLUMNS, rows, right=1)
        if len(state.parts) > len(rows):
            left = len(state.parts) - len(rows)
            page.rows([("", f"… and {left:,} more, with less to read (--output json)")])
    page.rows([("lag", _total(state)), *_identity(state), *_files(state)])


def _row(part: PartState, now_ms: int) -> tuple[str, ...]:
    left = time_left(part, now_ms)
    behind = time_behind(part, now_ms)
    return (
        part.name or "all",
        _number(part.stored),
        _number(part.earliest),
        _number(part.latest),
        _number(part.lag),
        "-" if behind is None else duration(behind),
        _LEFT[left] if isinstance(left, str) else duration(left) if left > 0 else "overdue",
    )


def _total(state: SourceState) -> str:
    total, records = lag_total(state), lag_records_total(state)
    if total is None:
        return "unknown"
    unit = state.counts or "records"
    more = f" ({records:,} records)" if records is not None and unit != "records" else ""
    if sameness(state) == "other":
        more += ", which says nothing: it is another one"
    return f"{total:,} {unit if total != 1 else unit.removesuffix('s')}{more}"


def _identity(state: SourceState) -> list[tuple[str, str]]:
    if state.kind not in ("kafka", "delta", "iceberg") or state.problem is not None:
        return []
    what = "topic" if state.kind == "kafka" else "table"
    unknown = "not known whether it is the same: no run of Holdfast has written down which it was"
    return [(what, _SAME.get(sameness(state), unknown))]


def _files(state: SourceState) -> list[tuple[str, str]]:
    if not state.checked_count:
        return []
    text = (
        f"{state.checked_count:,} looked at: {state.missing_count:,} gone, "
        f"{state.altered_count:,} changed"
    )
    return [("files", text)]


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
