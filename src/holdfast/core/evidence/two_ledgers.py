"""The checkpoint's ledger and the sink's, side by side: batch by batch, and where they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from holdfast.core.evidence.sink_memory import MarkedBatch, SinkMemory
from holdfast.core.fact import Absent, Known

ROWS_MAX: Final = 200
"""Rows of one comparison; those beyond are only counted."""

InCheckpoint = Literal["committed", "planned", "none"]
InSink = Literal["held", "missing", "unknown"]
Differs = Literal[
    "in-sink-not-committed",
    "committed-not-in-sink",
    "planned-in-neither",
    "sink-ahead",
]
"""in-sink-not-committed: the batch died between the sink's commit and Spark's; a rerun is due.
committed-not-in-sink: Spark counts it as done, and the sink has no mark of it.
planned-in-neither: it died before the sink had it.
sink-ahead: the sink holds a batch that the checkpoint has not come to: it was cut back, or began
    again under the same id. Batches up to the sink's last are those that it will take for known.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One batch as both ledgers have it."""

    batch: int
    checkpoint: InCheckpoint
    sink: InSink
    differs: Differs | None
    """None where both say the same, or the sink does not tell."""
    mark: MarkedBatch | None
    """The sink's own mark, where it is listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoLedgers:
    """A comparison of both."""

    rows: tuple[LedgerRow, ...]
    """Newest first."""
    left_off: int
    """Rows that are not listed, because there are more than ROWS_MAX."""
    ahead_by: int | None
    """How many batches the sink's last is above the newest plan; 0 where it is not above it; None
    where the sink does not tell, or keeps no memory."""


def side_by_side(
    planned: Sequence[int], committed: Sequence[int], memory: SinkMemory, limit: int = ROWS_MAX
) -> TwoLedgers:
    """The newest batches that either ledger knows, whether or not they differ."""
    return _compared(planned, committed, memory, limit, only_different=False)


def differences(
    planned: Sequence[int], committed: Sequence[int], memory: SinkMemory, limit: int = ROWS_MAX
) -> TwoLedgers:
    """The batches of which the two ledgers do not say the same."""
    return _compared(planned, committed, memory, limit, only_different=True)


def ahead_by(planned: Sequence[int], committed: Sequence[int], memory: SinkMemory) -> int | None:
    """How far the sink is ahead of the checkpoint, None where it does not tell."""
    if isinstance(memory.last, Absent) and memory.kind != "none":
        return 0
    if not isinstance(memory.last, Known):
        return None
    newest = max(max(planned, default=-1), max(committed, default=-1))
    return max(0, memory.last.value - newest)


def _compared(
    planned: Sequence[int],
    committed: Sequence[int],
    memory: SinkMemory,
    limit: int,
    *,
    only_different: bool,
) -> TwoLedgers:
    marks = {mark.batch: mark for mark in memory.batches}
    plans, commits = set(planned), set(committed)
    ahead = ahead_by(planned, committed, memory)
    newest = max(max(plans, default=-1), max(commits, default=-1))
    batches = plans | commits | {batch for batch in marks if batch > newest}
    if isinstance(memory.last, Known):
        # The newest that it holds is told even where its mark is not listed.
        batches |= {memory.last.value} if memory.last.value > newest else set()
    rows: list[LedgerRow] = []
    for batch in sorted(batches, reverse=True):
        in_checkpoint: InCheckpoint = (
            "committed" if batch in commits else "planned" if batch in plans else "none"
        )
        in_sink = _in_sink(batch, memory, marks)
        differs = _differs(in_checkpoint, in_sink)
        if differs is not None or not only_different:
            rows.append(
                LedgerRow(
                    batch=batch,
                    checkpoint=in_checkpoint,
                    sink=in_sink,
                    differs=differs,
                    mark=marks.get(batch),
                )
            )
    unlisted = max(0, ahead - sum(row.checkpoint == "none" for row in rows)) if ahead else 0
    left_off = max(0, len(rows) - limit) + unlisted
    return TwoLedgers(rows=tuple(rows[:limit]), left_off=left_off, ahead_by=ahead)


def _in_sink(batch: int, memory: SinkMemory, marks: dict[int, MarkedBatch]) -> InSink:
    if memory.kind == "none" or memory.skips == "never":
        return "held" if batch in marks else "unknown"
    if isinstance(memory.last, Absent):
        return "missing"
    if not isinstance(memory.last, Known):
        return "unknown"
    if batch in marks or batch == memory.last.value:
        return "held"
    if batch > memory.last.value:
        return "missing"
    listed = memory.oldest_known is not None and batch >= memory.oldest_known
    return "missing" if listed else "unknown"


def _differs(in_checkpoint: InCheckpoint, in_sink: InSink) -> Differs | None:
    match in_checkpoint, in_sink:
        case "none", "held":
            return "sink-ahead"
        case "planned", "held":
            return "in-sink-not-committed"
        case "planned", "missing":
            return "planned-in-neither"
        case "committed", "missing":
            return "committed-not-in-sink"
    return None
