"""plan retry: the newest batch is run again, over the same input, under the same id."""

from holdfast.core.plans.cut import log_files_beyond
from holdfast.core.plans.plan import Hazard, Plan, SinkFate
from holdfast.errors import RefusedError
from holdfast.flows.operations.viewing import View


def plan_retry(view: View) -> Plan:
    """Put the newest commit aside, so that a start runs its batch again."""
    evidence = view.taken.evidence
    newest = evidence.offsets.newest
    if newest is None or evidence.commits.newest != newest:
        raise RefusedError(
            "the newest batch is not committed: a plain start runs it again",
            subject=view.place,
            next_action=f"holdfast run {view.name}",
        )
    names = [n for n in log_files_beyond(view.taken.look.found, newest - 1) if "commits" in n]
    remembers = [m for m in evidence.sinks if m.skips != "never"]
    hazards = []
    fates = []
    for memory in evidence.sinks:
        if memory.skips == "never":
            message = f"{memory.sink} keeps no memory: batch {newest:,} is written a second time"
            hazards.append(Hazard(code="HF601", message=message))
        else:
            says = f"it remembers batch {newest:,}, and passes over it"
            fates.append(SinkFate(sink=memory.sink, says=says, duplicated=0, removed=0))
    if not evidence.sinks:
        message = "whether the sink remembers this batch is not known; name it by --sink"
        hazards.append(Hazard(code="HF603", message=message))
    if evidence.state_format == 2 and remembers:
        raise RefusedError(
            "state format 2, and a sink that passes over the batch: the query would never start "
            "again (CheckpointInfo length: 0)",
            subject=view.place,
            next_action=f"holdfast plan replay {view.name} --to-batch {newest}",
        )
    return view.plan(
        "retry",
        view.put_aside(names, f"commits/: put batch {newest:,} aside"),
        leaves=view.leaves(newest - 1 if newest else None),
        hazards=hazards,
        sinks=tuple(fates),
        untouched=("offsets/", "state/", "sources/"),
        next_command=f"holdfast run {view.name}",
    )
