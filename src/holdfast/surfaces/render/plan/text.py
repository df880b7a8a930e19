"""A plan for a person: where sources go, the steps and their undo, what is not touched."""

from holdfast.core.plans.plan import Plan, SinkFate
from holdfast.flows.operations.carrying import Carried
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.words import size

_SHOWN_MAX = 40


def print_plan(operation: str, plan: Plan, file: str | None) -> None:
    """Print the page."""
    page = Page()
    page.say()
    page.pieces(
        [
            (f"{plan.operation} of {plan.job or plan.target}", "bold"),
            (f"   plan {operation}", "dim"),
        ]
    )
    page.say("good until something moves", style="dim")
    page.say()
    if plan.movements:
        rows = [
            [
                move.source,
                move.label,
                move.before or "-",
                move.after or "-",
                "" if move.amount is None else f"{move.amount:,} {move.unit or ''}",
            ]
            for move in plan.movements[:_SHOWN_MAX]
        ]
        page.table(["source", "", "now", "after", "to do again"], rows)
        if len(plan.movements) > _SHOWN_MAX:
            page.say(f"… and {len(plan.movements) - _SHOWN_MAX:,} more (--output json)")
        page.say()
    for fate in plan.sinks:
        page.rows([("sink", f"{fate.sink}: {fate.says}{_counts(fate)}")])
    page.say("steps", style="bold")
    for number, step in enumerate(plan.steps, 1):
        page.say(f"{number:>3}  {step.says}")
        page.say(f"     undo: {step.undo_says or 'there is none'}", style="dim")
    page.say()
    page.rows(_around(plan))
    for hazard in plan.accepted:
        page.pieces([("!  ", "yellow"), (f"{hazard.code}  accepted: {hazard.message}", "")])
    for note in plan.notes:
        page.say(note, style="dim")
    if file:
        page.say(f"apply: holdfast apply {file}")


def print_carried(carried: Carried) -> None:
    """What a pass came to, and the next command."""
    page = Page()
    word = "carried out" if carried.direction == "do" else "undone"
    how = ", continued where it had stopped" if carried.continued else ""
    page.say()
    page.pieces(
        [
            (f"{carried.plan.operation} {word}", "bold green"),
            (f"   operation {carried.operation}, {len(carried.steps)} steps{how}", ""),
        ]
    )
    if carried.direction == "do":
        page.say(f"back: holdfast undo {carried.operation} --checkpoint {carried.plan.target}")
        if carried.plan.next_command:
            page.say(f"next: {carried.plan.next_command}")
    else:
        page.say("the checkpoint is as it was before")


def _around(plan: Plan) -> list[tuple[str, str]]:
    rows = [("moves", f"{plan.files:,} files, {size(plan.size_bytes)}")]
    if plan.untouched:
        rows.append(("not touched", ", ".join(plan.untouched)))
    if plan.downstream:
        rows.append(("read by", ", ".join(plan.downstream)))
    return rows


def _counts(fate: SinkFate) -> str:
    told = [
        f"{count:,} {word}"
        for word in ("removed", "kept", "duplicated", "skipped")
        if (count := getattr(fate, word)) is not None
    ]
    return f" (rows: {', '.join(told)})" if told else ""
