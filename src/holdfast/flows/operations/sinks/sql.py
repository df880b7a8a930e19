"""Our SQL sink: an upsert may come again, rows of an append cannot be told apart by batch."""

from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.plans.correction import Correction
from holdfast.core.plans.plan import Hazard, SinkFate
from holdfast.errors import RefusedError
from holdfast.flows.operations.viewing import View


def correct_sql(view: View, memory: SinkMemory, keep: int, *, must_cut: bool) -> Correction:
    """Forward, by keys; cutting has to lower the ledger."""
    if must_cut:
        raise RefusedError(
            "the ledger of a SQL sink cannot be lowered yet, which a query with state needs",
            subject=memory.sink,
            next_action="holdfast plan reset",
        )
    spec = view.taken.job.sink if view.taken.job else None
    rows = _rows_after(memory, keep)
    if spec is not None and spec.options.get("mode") == "upsert":
        notes: tuple[str, ...] = ()
        if not spec.options.get("version"):
            notes = (
                "without a version column, older values stand in the table until the replay has "
                "caught up",
            )
        return Correction(
            way="forward",
            reason="it upserts by key, so rows that come again replace themselves",
            fate=SinkFate(sink=memory.sink, says="upserted again by key", removed=0, duplicated=0),
            notes=notes,
        )
    counted = "" if rows is None else f" ({rows:,} of them by the ledger)"
    message = (
        f"rows of single batches cannot be told apart in {memory.sink}: what is done again is "
        f"there twice{counted}"
    )
    return Correction(
        way="forward",
        reason="it appends, and its rows do not say of which batch they are",
        fate=SinkFate(sink=memory.sink, says="rows are there twice", duplicated=rows),
        hazards=(Hazard(code="HF602", message=message, rows=rows),),
    )


def _rows_after(memory: SinkMemory, keep: int) -> int | None:
    marks = [mark for mark in memory.batches if mark.batch > keep]
    counts = [mark.rows for mark in marks]
    if memory.oldest_known is None or memory.oldest_known > keep + 1 or None in counts:
        return None
    return sum(count for count in counts if count is not None)
