"""`diff` for a person."""

from holdfast.core.reading.difference import Change
from holdfast.flows.diff import Diffed
from holdfast.surfaces.render.diff_json import diff_findings
from holdfast.surfaces.render.page import Page

_LINEAGES = {
    "same": "Same query id, and equal plans as far as both keep them.",
    "parted": "Same query id, but the plans part: one is a copy that went its own way.",
    "different": "Two different queries: the ids differ.",
    "unknown": "Whether they are the same query is unknown: an id cannot be read.",
}


def print_diff(diffed: Diffed) -> None:
    """Print both sides."""
    difference = diffed.difference
    page = Page()
    page.say()
    page.say(_LINEAGES[difference.lineage], style="bold")
    if difference.last_equal_batch is not None:
        page.say(f"Plans are equal up to batch {difference.last_equal_batch:,}.")
    if difference.first_unequal_batch is not None:
        page.say(f"Plans differ from batch {difference.first_unequal_batch:,} on.")
    page.say()
    page.rows([("left", diffed.left.location), ("right", diffed.right.location)])
    page.say()
    page.table(("", "left", "right"), [_row(change) for change in difference.logs], 2, 3)
    page.say()
    page.table(
        ("source", "left", "right", "left is"),
        [
            (str(s.position), _side(s.kinds[0], s.texts[0]), _side(s.kinds[1], s.texts[1]), s.order)
            for s in difference.sources
        ],
        2,
        4,
    )
    for title, changes in (
        ("pinned settings", difference.conf),
        ("operators", difference.operators),
        ("schemas", difference.schemas),
    ):
        page.say()
        if changes:
            page.table((title, "left", "right"), [_row(change) for change in changes], 2, 3)
        else:
            page.say(f"{title}: equal")
    page.say()
    page.findings(f for f in diff_findings(diffed) if f.severity != "info")


def _row(change: Change) -> tuple[str, str, str]:
    return (change.name, change.left or "-", change.right or "-")


def _side(kind: str | None, text: str | None) -> str:
    return f"{kind} {text}" if text is not None else "-"
