"""Find how a sink is corrected: by what keeps its memory."""

from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.fact import Unreadable
from holdfast.core.job import SinkSpec
from holdfast.core.plans.correction import Correction
from holdfast.core.plans.plan import Hazard, SinkFate
from holdfast.errors import RefusedError
from holdfast.flows.operations.sinks.delta import correct_delta
from holdfast.flows.operations.sinks.sql import correct_sql
from holdfast.flows.operations.viewing import View


def corrections(view: View, keep: int, *, must_cut: bool) -> tuple[Correction, ...]:
    """For each sink, what brings it back to the end of batch `keep`; -1 for before the first.

    `must_cut`: batch ids come again, because the query has state. Raises RefusedError where a sink
    cannot be brought there, with the reason.
    """
    memories = view.taken.evidence.sinks
    if not memories:
        message = "no sink is known, so rows may be written twice; name it by --sink"
        return (
            Correction(
                way="forward",
                reason="nothing is known of the sink",
                fate=SinkFate(sink="not known", says="nobody looked at it"),
                hazards=(Hazard(code="HF603", message=message),),
            ),
        )
    return tuple(
        _correct(view, memory, named, keep, must_cut)
        for memory, named in zip(memories, view.taken.named, strict=True)
    )


def _correct(
    view: View, memory: SinkMemory, named: str | SinkSpec, keep: int, must_cut: bool
) -> Correction:
    if isinstance(memory.last, Unreadable):
        raise RefusedError(
            f"the sink could not be asked: {memory.last.reason}",
            subject=memory.sink,
            next_action="make it reachable, then make the plan again",
        )
    match memory.kind:
        case "none":
            return _without_memory(view, memory, keep)
        case "sql":
            return correct_sql(view, memory, keep, must_cut=must_cut)
        case "delta" | "delta-txn":
            return correct_delta(view, memory, named, keep, must_cut=must_cut)
        case _:
            raise RefusedError(
                f"a sink of kind {memory.kind} cannot be brought back to an earlier batch yet",
                subject=memory.sink,
                next_action="holdfast plan reset, or correct the table by hand and accept HF603",
            )


def _without_memory(view: View, memory: SinkMemory, keep: int) -> Correction:
    message = f"{memory.sink} keeps no memory: all that is done again is written a second time"
    return Correction(
        way="forward",
        reason="the sink writes whatever it is given",
        fate=SinkFate(sink=memory.sink, says="rows of the batches done again are there twice"),
        hazards=(Hazard(code="HF601", message=message),),
    )
