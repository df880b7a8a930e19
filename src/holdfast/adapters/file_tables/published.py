"""What readers may see of a table of plain files: every file of every published batch, by ledger.

Read-only. The newest batch of a query counts once all of its files are at their place: a moment
after its mark, or, where the writer was killed in between, when it is started again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.adapters.file_tables.ledger import FileLedger, owner_of
from holdfast.adapters.file_tables.opening import open_place
from holdfast.adapters.file_tables.place import Addresses, Place
from holdfast.core.running.file_ledger import Entry, Owner
from holdfast.errors import MalformedError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedBatch:
    """One batch that every reader sees."""

    query: str
    batch: int
    rows: int
    files: tuple[str, ...]
    """Paths or URLs, as the table was named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTable:
    """A table as its ledger has it."""

    owner: Owner
    addresses: Addresses
    batches: tuple[PublishedBatch, ...]


def published_table(path: str, ledger: str | None = None) -> PublishedTable:
    """Look at a table; every file of it must be there with its size.

    Raises UsageError where there is none, MalformedError where the ledger was altered or a file is
    missing or of another size.
    """
    place, addresses = open_place(path, ledger)
    owner = owner_of(place.records)
    if owner is None:
        raise UsageError(
            "there is no table of the files sink here",
            subject=addresses.table,
            next_action=f"check the path; its ledger would be {addresses.ledger}",
        )
    queries = [owner.query] if owner.query is not None else place.queries()
    batches: list[PublishedBatch] = []
    for query in queries:
        entries = FileLedger(place.records, query).entries()
        batches += _batches(place, addresses, query, entries)
    return PublishedTable(owner=owner, addresses=addresses, batches=tuple(batches))


def _batches(
    place: Place, addresses: Addresses, query: str, entries: Sequence[Entry]
) -> list[PublishedBatch]:
    newest = max((entry.number for entry in entries if entry.batch is not None), default=0)
    found: list[PublishedBatch] = []
    misfits = place.misfits([entry for entry in entries if entry.batch is not None])
    for entry in entries:
        if entry.batch is None:
            continue
        told = misfits.get(entry.number)
        if told is not None and entry.number == newest and place.is_pending(entry):
            continue
        # Between the two looks it may have been published.
        if told is not None and place.misfit(entry) is not None:
            raise MalformedError(
                f"a file of batch {entry.batch} is not as it was written: {told}",
                subject=addresses.table,
                next_action="bring the file back; nothing was read",
            )
        root = f"{addresses.table}/{entry.folder}"
        found.append(
            PublishedBatch(
                query=query,
                batch=entry.batch,
                rows=entry.rows,
                files=tuple(f"{root}/{file.path}" for file in entry.files),
            )
        )
    return found
