"""The memory of our files sink: the entries of its ledger beside the table."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

from holdfast.adapters.file_tables.ledger import READS_AT_ONCE, FileLedger, owner_of
from holdfast.adapters.file_tables.opening import open_place
from holdfast.adapters.memories.offset_texts import offset_texts
from holdfast.adapters.storage.opening import local_path, shown
from holdfast.core.evidence.sink_memory import (
    BATCHES_MAX,
    OTHERS_MAX,
    MarkedBatch,
    SinkMemory,
    missing_memory,
    newest_marks,
    other_writers,
)
from holdfast.core.fact import Absent, Known
from holdfast.core.running.file_ledger import Entry, name_of
from holdfast.core.secret_text import as_shown
from holdfast.errors import MalformedError

REMOTE_ENTRIES: Final = 32
"""Entries that are read from a store, each by a request."""


def read_files(path: str, ledger: str | None, query_id: str | None) -> SinkMemory:
    """Read the newest entries of a query; raises HoldfastError where they cannot be had."""
    sink = shown(as_shown(path))
    place, _ = open_place(str(path), None if ledger is None else str(ledger))
    owner = owner_of(place.records)
    if owner is None:
        note = "there is no ledger of the files sink beside this folder"
        return missing_memory(sink, "files", "checked", note)
    queries = place.queries()
    others = [query for query in queries if query != query_id][:OTHERS_MAX]
    found = [(query, _last(FileLedger(place.records, query).newest())) for query in others]
    if owner.query is not None and owner.query not in (*queries, query_id):
        found.append((owner.query, None))
    origin = f"{sink}: ledger"
    last: int | None = None
    batches: tuple[MarkedBatch, ...] = ()
    notes: tuple[str, ...] = ()
    if query_id is not None and query_id in queries:
        entries_ledger = FileLedger(place.records, query_id)
        newest = entries_ledger.newest()
        last = _last(newest)
        most = BATCHES_MAX if local_path(str(path)) is not None else REMOTE_ENTRIES
        entries = _back(entries_ledger, newest, most)
        batches = newest_marks(_mark(entry) for entry in entries if entry.batch is not None)
        held = next((entry for entry in entries if entry.batch == last), None)
        if last is not None and held is not None and place.is_pending(held):
            notes = (f"batch {last} is marked and not yet shown to readers: a start shows it",)
    return SinkMemory(
        sink=sink,
        kind="files",
        exists=True,
        key=Known(query_id, origin) if query_id in queries and query_id else Absent(origin),
        last=Absent(origin) if last is None else Known(last, origin),
        skips="checked",
        table_id=Absent(origin),
        others=other_writers(found),
        batches=batches,
        oldest_known=batches[-1].batch if batches else None,
        notes=notes,
    )


def _last(entry: Entry | None) -> int | None:
    return None if entry is None else entry.last_batch


def _back(ledger: FileLedger, newest: Entry | None, most: int) -> list[Entry]:
    """The newest entries, newest first."""
    if newest is None:
        return []
    numbers = range(newest.number - 1, max(0, newest.number - most), -1)
    with ThreadPoolExecutor(READS_AT_ONCE) as pool:
        found = list(pool.map(ledger.entry, numbers))
    entries = [newest]
    for number, entry in zip(numbers, found, strict=True):
        if entry is None or entries[-1].previous != entry.digest:
            raise MalformedError(
                f"the ledger of the table was altered at its entry {name_of(number)}",
                subject="files",
                next_action="bring the ledger back as it was written",
            )
        entries.append(entry)
    return entries


def _mark(entry: Entry) -> MarkedBatch:
    assert entry.batch is not None
    start, end = offset_texts(entry.offsets)
    return MarkedBatch(
        batch=entry.batch,
        rows=entry.rows,
        at_ms=entry.written_at_ms,
        where=f"entry {name_of(entry.number)}",
        start=start,
        end=end,
    )
