"""plan replay: process again from an earlier batch, with the output corrected to match."""

from collections.abc import Sequence

from holdfast.core.fact import Known, interpret
from holdfast.core.formats.offset_log import parse_offset_entry
from holdfast.core.plans.correction import Correction
from holdfast.core.plans.cut import log_files_beyond, state_files_beyond
from holdfast.core.plans.forward import SYNTHETIC, forward_files, position_lines
from holdfast.core.plans.movement import movements
from holdfast.core.plans.plan import Movement, Plan
from holdfast.core.plans.step import Step
from holdfast.core.reading.assembly import source_positions
from holdfast.errors import RefusedError, UsageError
from holdfast.flows.operations.sinks.correcting import corrections
from holdfast.flows.operations.viewing import View


def plan_replay(view: View, first: int) -> Plan:
    """Do batch `first` and all after it again."""
    evidence = view.taken.evidence
    keep = first - 1
    _check_reach(view, first)
    must_cut = evidence.is_stateful
    if must_cut:
        _check_state(view, keep)
    found = corrections(view, keep, must_cut=must_cut)
    way = "cut" if must_cut or any(each.way == "cut" for each in found) else "forward"
    sink_steps = [step for each in found for step in each.steps]
    steps = _cut(view, keep) if way == "cut" else _forward(view, keep)
    newest = evidence.offsets.newest or 0
    last = keep if way == "cut" else newest + SYNTHETIC
    return view.plan(
        "replay",
        [*sink_steps, *steps],
        leaves=view.leaves(last if last >= 0 else None),
        hazards=[hazard for each in found for hazard in each.hazards],
        requirements=[need for each in found for need in each.requirements],
        movements=_movements(view, keep),
        sinks=tuple(each.fate for each in found),
        untouched=("metadata", "sources/"),
        notes=(*_reasons(found, way), *(note for each in found for note in each.notes)),
        next_command=f"holdfast run {view.name}",
    )


def _check_reach(view: View, first: int) -> None:
    offsets = view.taken.look.found.offsets
    newest = offsets.last
    if newest is None or first > newest:
        end = "it has none" if newest is None else f"the newest is {newest:,}"
        raise UsageError(f"there is no batch {first:,}: {end}", next_action="name an earlier batch")
    if first > 0 and first - 1 not in offsets.ids:
        oldest = offsets.ids[0]
        raise RefusedError(
            f"offsets/{first - 1} is gone, so where batch {first:,} began is not known; "
            f"the oldest that can be done again is {oldest + 1:,}",
            subject=view.place,
            next_action=f"--to-batch {oldest + 1}, or name a position: --to-offset, --to-datetime",
        )
    if first == 0:
        raise RefusedError(
            "before the first batch there is nothing to go back to",
            subject=view.place,
            next_action="holdfast plan reset begins again from nothing",
        )


def _check_state(view: View, keep: int) -> None:
    for operator in view.taken.look.checkpoint.operators:
        if not any(first <= keep <= last for first, last in operator.loadable):
            ranges = ", ".join(f"{first:,} to {last:,}" for first, last in operator.loadable)
            raise RefusedError(
                f"the state of operator {operator.files.operator_id} after batch {keep:,} cannot "
                f"be loaded; it can after batches {ranges or 'none'}",
                subject=view.place,
                next_action="name a batch after one of these, or restore a backup",
            )
    if isinstance(view.taken.evidence.commit, Known) and keep not in (
        view.taken.look.found.commits.ids
    ):
        raise RefusedError(
            f"commits/{keep} is gone, and with it the watermark after batch {keep:,}",
            subject=view.place,
            next_action="name a later batch",
        )


def _cut(view: View, keep: int) -> list[Step]:
    found = view.taken.look.found
    logs = log_files_beyond(found, keep)
    state = state_files_beyond(found, keep)
    return [
        *view.put_aside(logs, f"offsets/ and commits/: put batches after {keep:,} aside"),
        *view.put_aside(state, f"state/: put versions after {keep + 1:,} aside"),
    ]


def _forward(view: View, keep: int) -> list[Step]:
    evidence = view.taken.evidence
    newest = evidence.offsets.newest
    committed = evidence.commits.newest
    assert newest is not None
    if committed is None:
        raise RefusedError(
            "no batch was ever committed here",
            subject=view.place,
            next_action=f"holdfast run {view.name}",
        )
    files = forward_files(
        newest,
        view.read(f"offsets/{newest}"),
        view.read(f"commits/{committed}"),
        position_lines(view.read(f"offsets/{keep}")),
        is_committed=committed == newest,
    )
    return [
        view.create(file.name, file.data, f"{file.name}: a batch that counts as done")
        for file in files
    ]


def _movements(view: View, keep: int) -> tuple[Movement, ...]:
    """From where each source stands now to where it will stand."""
    look = view.taken.look
    name = f"offsets/{keep}"
    plan = interpret(name, view.read(name), parse_offset_entry)
    after = source_positions(look.found, look.contents, plan)
    return movements(look.checkpoint.sources, after)


def _reasons(found: Sequence[Correction], way: str) -> tuple[str, ...]:
    if way == "forward":
        how = "batches are done again under new ids; nothing in the checkpoint is moved"
    else:
        how = "both logs are cut back, and the same batch ids come again"
    return (how, *(each.reason for each in found if each.reason))
