"""A sink's own memory of the batches it holds: the second ledger, beside the checkpoint's logs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from holdfast.core.fact import Absent, Fact, Unreadable
from holdfast.errors import HoldfastError

MemoryKind = Literal[
    "delta", "delta-txn", "file-sink", "iceberg", "sql", "files", "kafka", "own", "none"
]
"""What keeps the memory; `none` only where it is known that nothing does."""

Skips = Literal["at-or-below", "checked", "never"]
"""What the sink does with a batch whose id is not above the highest that it remembers.

at-or-below: it drops the batch without a word, whatever rows it brings.
checked: it drops the batch too, but refuses it with an error where the mark of that very id is
    still kept and says other offsets (sinks of Holdfast).
never: it writes the rows again.
"""

BATCHES_MAX: Final = 200
"""Marks that are listed: twice the batches that Spark keeps of its own logs by default."""

OTHERS_MAX: Final = 50
"""Other writers that are listed; each is a query that was reset, copied, or shares the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherWriter:
    """Another id that the sink remembers: the trace of a reset, of a copy, or of a neighbour."""

    key: str
    last: int | None
    """The highest batch under that id, None where it is known without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedBatch:
    """One batch that the sink says it holds."""

    batch: int
    rows: int | None
    """Rows that the mark says were written; None where it does not say."""
    at_ms: int | None
    """When, by the clock of whoever wrote it."""
    where: str
    """The version, file, snapshot or row that says so."""
    start: str | None = None
    """Offsets before the batch, as the mark has them; most marks do not."""
    end: str | None = None
    """Offsets after the batch, or whatever the mark keeps of its range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkMemory:
    """All that a sink remembers of one query, and of others as far as it tells."""

    sink: str
    """Where it is, without credentials."""
    kind: MemoryKind
    exists: bool | None
    """Whether there is a table, folder or topic at all; None where that could not be told."""
    key: Fact[str]
    """The query id or app id that its marks are under; absent where they are by batch id alone."""
    last: Fact[int]
    """The highest batch that it holds under this key; absent where it holds none."""
    skips: Skips
    table_id: Fact[str]
    others: tuple[OtherWriter, ...] = ()
    batches: tuple[MarkedBatch, ...] = ()
    """Newest first, at most BATCHES_MAX."""
    oldest_known: int | None = None
    """From this batch up to `last` every mark is in `batches`: one that is not there is missing.

    None where the marks were not listed, and nothing can be said of a single batch.
    """
    removals: tuple[str, ...] = ()
    """What took rows out of the table by other ways than the query, newest first: a restore, a
    deletion. Its memory of batches stays all the same."""
    damage: tuple[str, ...] = ()
    """What makes readers of the table fail."""
    forgets_after_ms: int | None = None
    """After so long without a batch the sink forgets the query; None: never, or not known to."""
    notes: tuple[str, ...] = ()
    version: int | None = None
    """The newest version of the table; None where it has no versions."""


def unreadable_memory(
    sink: str, kind: MemoryKind, skips: Skips, error: HoldfastError
) -> SinkMemory:
    """The memory of a sink that could not be asked: nothing is known, and that is said."""
    fact = Unreadable(sink, error.message, error.code)
    notes = (error.next_action,) if error.next_action else ()
    return SinkMemory(
        sink=sink,
        kind=kind,
        exists=None,
        key=fact,
        last=fact,
        skips=skips,
        table_id=fact,
        notes=notes,
    )


def missing_memory(sink: str, kind: MemoryKind, skips: Skips, note: str) -> SinkMemory:
    """The memory of a sink of which nothing is there yet."""
    absent = Absent(sink)
    return SinkMemory(
        sink=sink,
        kind=kind,
        exists=False,
        key=absent,
        last=absent,
        skips=skips,
        table_id=absent,
        notes=(note,),
    )


def newest_marks(marks: Iterable[MarkedBatch]) -> tuple[MarkedBatch, ...]:
    """Each batch once, newest first, bounded; of two marks of one batch the first given counts."""
    by_batch: dict[int, MarkedBatch] = {}
    for mark in marks:
        by_batch.setdefault(mark.batch, mark)
    return tuple(by_batch[batch] for batch in sorted(by_batch, reverse=True)[:BATCHES_MAX])


def other_writers(found: Iterable[tuple[str, int | None]]) -> tuple[OtherWriter, ...]:
    """Other writers sorted by their key, bounded, each with its highest batch."""
    highest: dict[str, int | None] = {}
    for key, last in found:
        known = highest.get(key)
        highest[key] = known if last is None or (known is not None and known >= last) else last
    return tuple(OtherWriter(key=key, last=highest[key]) for key in sorted(highest)[:OTHERS_MAX])
