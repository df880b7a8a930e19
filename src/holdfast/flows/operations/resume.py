"""plan resume: mend what keeps a checkpoint from starting, and say where that is not safe."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from holdfast.core.fact import Known, Unreadable, interpret
from holdfast.core.formats.offset_log import parse_offset_entry
from holdfast.core.guards.leftovers import only_leftovers
from holdfast.core.parts import METADATA
from holdfast.core.plans.cut import log_files_beyond, state_files_beyond
from holdfast.core.plans.mending import (
    NEWER,
    Ends,
    differing_checksums,
    ends_of,
    has_state_ids,
    is_torn,
    lacks_id,
    orphaned_checksums,
    temporary_files,
    with_checksum,
)
from holdfast.core.plans.plan import Hazard, Plan, SinkFate
from holdfast.core.plans.step import Step
from holdfast.errors import RefusedError
from holdfast.flows.operations.known_id import known_id
from holdfast.flows.operations.viewing import View

NOTHING = "nothing to mend: a plain start goes on from here"


@dataclass(slots=True)
class _Mending:
    """What is gathered while one reason after the other is looked at."""

    ends: Ends
    aside: list[tuple[str, str]] = field(default_factory=list)
    """Files and the sentence of their step; files of one sentence become one step."""
    hazards: list[Hazard] = field(default_factory=list)
    fates: list[SinkFate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def take(self, names: Sequence[str], says: str) -> None:
        taken = {name for name, _ in self.aside}
        self.aside += [(name, says) for name in names if name not in taken]


def plan_resume(view: View) -> Plan:
    """Bring a checkpoint that a start refuses to where it starts; nothing that is sound is touched.

    Raises RefusedError where no mending is right, GuardedError where it is unsafe.
    """
    look = view.taken.look
    _refuse_newer(view)
    mending = _Mending(ends=ends_of(look.checkpoint))
    if mending.ends.planned is None:
        _without_plan(view, mending)
    else:
        _mend_plan(view, mending)
        _mend_commits(view, mending)
        _check_rest(view, mending)
    mending.take(temporary_files(look.found), "temporary files of unfinished writes: put aside")
    mending.take(orphaned_checksums(look.found), "checksums of files that are gone: put aside")
    _mend_checksums(view, mending)
    query_id, steps = _mend_id(view, mending)
    steps = [*_aside(view, mending), *steps]
    return view.plan(
        "resume",
        steps,
        leaves=view.leaves(mending.ends.done_through, query_id=query_id),
        hazards=mending.hazards,
        sinks=tuple(mending.fates),
        untouched=("sources/",),
        notes=tuple(mending.notes) if steps else (NOTHING,),
        next_command=f"holdfast run {view.name}",
    )


def _refuse_newer(view: View) -> None:
    checkpoint = view.taken.look.checkpoint
    for fact in (checkpoint.query_id, checkpoint.plan, checkpoint.commit):
        if isinstance(fact, Unreadable) and fact.code == NEWER:
            raise RefusedError(
                f"{fact.origin} is of a newer format, and not damaged: {fact.reason}",
                subject=view.place,
                next_action="start the query with the Spark that wrote it",
            )


def _without_plan(view: View, mending: _Mending) -> None:
    """No plan: either nothing ever ran, or the plans were lost."""
    found = view.taken.look.found
    if mending.ends.committed is not None:
        raise _refused(
            view,
            "offsets/ is empty and commits/ is not: where the sources stood is not known",
            "restore a backup (holdfast plan restore), or holdfast plan reset",
        )
    every = [f"{d.path}/{name}" for d in found.tree.directories.values() for name in d.names]
    inside = [name for name in every if name.startswith(("offsets/", "commits/", "state/"))]
    if inside and not only_leftovers(every):
        raise _refused(
            view,
            "no batch is planned, and there is more than what a killed first plan leaves: "
            f"{inside[0]}",
            "restore a backup (holdfast plan restore), or holdfast plan reset",
        )
    mending.take(only_leftovers(every), "what a killed first plan left: put aside")


def _mend_plan(view: View, mending: _Mending) -> None:
    """A newest plan that is torn goes aside, where its batch was never counted as done."""
    look = view.taken.look
    planned, committed = mending.ends.planned, mending.ends.committed
    assert planned is not None
    if not is_torn(look.checkpoint.plan):
        return
    if committed is not None and committed >= planned:
        raise _refused(
            view,
            f"offsets/{planned} is torn, and batch {planned:,} is committed: where it ended is not "
            "known, so where to go on is not known either",
            "bring back this file from a copy, or holdfast plan restore",
        )
    if planned > 0 and committed != planned - 1:
        raise _refused(
            view,
            f"offsets/{planned} is torn, and batch {planned - 1:,} before it has no commit: put "
            "aside, that batch would be run a second time",
            "bring back this file from a copy, or holdfast plan restore",
        )
    keep = planned - 1
    names = with_checksum(look.found, [f"offsets/{planned}"])
    mending.take(names, f"offsets/{planned}: torn, put aside; batch {planned:,} is planned anew")
    if keep < 0:
        everything = [f"{d.path}/{n}" for d in look.found.tree.below("state") for n in d.names]
        mending.take(everything, "state/: of a batch that is planned anew, put aside")
    else:
        says = f"state/: versions after {keep + 1:,}, of a batch that is planned anew, put aside"
        mending.take(state_files_beyond(look.found, keep), says)
    mending.ends = Ends(planned=keep if keep >= 0 else None, committed=committed)
    _judge_sinks(view, mending, first=planned, anew=True)


def _mend_commits(view: View, mending: _Mending) -> None:
    look = view.taken.look
    planned, committed = mending.ends.planned, mending.ends.committed
    if committed is None:
        return
    assert planned is not None
    if committed > planned:
        says = f"commits/: after batch {planned:,}, where offsets/ ends, put aside"
        beyond = [n for n in log_files_beyond(look.found, planned) if n.startswith("commits/")]
        mending.take(beyond, says)
        mending.take(
            state_files_beyond(look.found, planned),
            f"state/: versions after {planned + 1:,}, put aside",
        )
        mending.ends = Ends(planned=planned, committed=planned)
        if planned not in look.found.commits.ids:
            raise _refused(
                view,
                f"commits/ is ahead of offsets/, and commits/{planned} is gone",
                "restore a backup (holdfast plan restore)",
            )
        _judge_sinks(view, mending, first=planned + 1, anew=True)
        return
    if not is_torn(look.checkpoint.commit):
        return
    _torn_commit(view, mending, planned, committed)


def _torn_commit(view: View, mending: _Mending, planned: int, committed: int) -> None:
    look = view.taken.look
    skipping = [m for m in view.taken.evidence.sinks if m.skips != "never"]
    if has_state_ids(look.found) and (committed < planned or skipping):
        raise _refused(
            view,
            f"commits/{committed} is torn, and it alone says which state files count "
            "(state format 2)",
            "bring back this file from a copy, or holdfast plan restore",
        )
    names = with_checksum(look.found, [f"commits/{committed}"])
    older = look.found.commits.before(committed)
    mending.ends = Ends(planned=planned, committed=older)
    if committed < planned:
        mending.take(names, f"commits/{committed}: torn, put aside; its batch stays done")
        return
    mending.take(names, f"commits/{committed}: torn, put aside; its batch is run again")
    _judge_sinks(view, mending, first=committed, anew=False)


def _judge_sinks(view: View, mending: _Mending, *, first: int, anew: bool) -> None:
    """What sinks do with batch `first`, which comes once more: over other input where `anew`."""
    sinks = view.taken.evidence.sinks
    if not sinks:
        message = f"whether the sink holds batch {first:,} is not known; name it by --sink"
        mending.hazards.append(Hazard(code="HF603", message=message))
    for memory in sinks:
        if memory.skips == "never":
            message = (
                f"{memory.sink} keeps no memory: rows of batch {first:,} that it got are written "
                "a second time"
            )
            mending.hazards.append(Hazard(code="HF601", message=message))
            continue
        if isinstance(memory.last, Unreadable):
            message = f"{memory.sink} could not be asked: {memory.last.reason}"
            mending.hazards.append(Hazard(code="HF603", message=message))
            continue
        holds = isinstance(memory.last, Known) and memory.last.value >= first
        if holds and anew:
            raise _refused(
                view,
                f"{memory.sink} holds batch {first:,}, and passes over it when it comes again, now "
                "with other rows: those would be lost without an error",
                "bring back the lost file from a copy, or holdfast plan restore",
            )
        says = f"it holds batch {first:,}, and passes over it" if holds else "it gets it once"
        mending.fates.append(SinkFate(sink=memory.sink, says=says, duplicated=0))


def _check_rest(view: View, mending: _Mending) -> None:
    """What no mending cures: a plan that is needed and gone, state that cannot be loaded."""
    look = view.taken.look
    planned, done = mending.ends.planned, mending.ends.done_through
    if planned is None:
        return
    evidence = view.taken.evidence
    is_moved = planned != evidence.offsets.newest
    if is_moved and planned > 0 and planned - 1 not in look.found.offsets.ids:
        raise _refused(
            view,
            f"offsets/{planned - 1} is gone, and a start needs it beside offsets/{planned}",
            "restore a backup (holdfast plan restore)",
        )
    for batch in (planned, planned - 1) if is_moved else ():
        name = f"offsets/{batch}"
        if batch >= 0 and is_torn(interpret(name, view.read(name), parse_offset_entry)):
            raise _refused(view, f"{name} is torn as well", "holdfast plan restore")
    if done is not None:
        _check_state(view, done)
    if not mending.aside and not lacks_id(look.checkpoint) and evidence.restart_kind == "refused":
        raise _refused(view, evidence.restart_text, "holdfast plan restore, or plan replay")


def _check_state(view: View, done: int) -> None:
    for operator in view.taken.look.checkpoint.operators:
        if not any(first <= done <= last for first, last in operator.loadable):
            raise _refused(
                view,
                f"the state of operator {operator.files.operator_id} after batch {done:,} cannot "
                "be loaded",
                "holdfast plan replay to a batch whose state can be, or holdfast plan restore",
            )


def _mend_checksums(view: View, mending: _Mending) -> None:
    look = view.taken.look
    taken = {name for name, _ in mending.aside}
    stale = [n for n in differing_checksums(look.checkpoint, look.found) if n not in taken]
    if not stale:
        return
    mending.take(stale, "checksums that do not agree with their file: put aside")
    message = (
        f"{stale[0]} does not agree with its file: one of the two was changed, and nobody knows "
        "which; the file is used as it is"
    )
    mending.hazards.append(Hazard(code="HF610", message=message))


def _mend_id(view: View, mending: _Mending) -> tuple[str | None, list[Step]]:
    look = view.taken.look
    if not lacks_id(look.checkpoint):
        return view.query_id, []
    query_id, origin = known_id(view)
    if METADATA in look.found.tree.names(""):
        mending.take(with_checksum(look.found, [METADATA]), "metadata: torn, put aside")
    mending.notes.append(f"the query id {query_id} is known from {origin}")
    data = f'{{"id":"{query_id}"}}'.encode()
    return query_id, [view.create(METADATA, data, f"metadata: made again with the id {query_id}")]


def _aside(view: View, mending: _Mending) -> list[Step]:
    groups: dict[str, list[str]] = {}
    for name, says in mending.aside:
        groups.setdefault(says, []).append(name)
    return [step for says, names in groups.items() for step in view.put_aside(names, says)]


def _refused(view: View, message: str, next_action: str) -> RefusedError:
    return RefusedError(message, subject=view.place, next_action=next_action)
