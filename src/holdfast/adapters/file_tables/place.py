"""Where a table of plain files lies: files for readers in one folder, all else beside it.

    <parent>/<name>/batch=7/part-….parquet          what readers see, and nothing else
    <parent>/_<name>.ledger/owner.json              whose table it is
    <parent>/_<name>.ledger/log/<query id>/…        the ledger
    <parent>/_<name>.ledger/pages/<query id>/…      the same entries, many in one file
    <parent>/_<name>.ledger/staging/<query id>/…    files of batches that are not published yet

Some readers take every file below a folder, hidden or not: nothing of ours may lie there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.core.running.file_ledger import DataFile, Entry
from holdfast.core.running.ports import Records
from holdfast.errors import UsageError

LOG = "log"
PAGES = "pages"
STAGING = "staging"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """The two folders of a table, as paths or URLs without a slash at the end."""

    table: str
    ledger: str

    def staged(self, name: str) -> str:
        """Where an attempt writes."""
        return f"{self.ledger}/{STAGING}/{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What a cleaning did."""

    removed: int
    left: int
    """Attempts that are for the next one: the bound was reached."""


class Place(Protocol):
    """The files of a table on one kind of storage. Names are relative, separated by `/`."""

    @property
    def records(self) -> Records:
        """The ledger's own files."""
        ...

    def stage(self, staged: str) -> str:
        """Make room for an attempt; the address that its writer is given."""
        ...

    def staged_files(self, staged: str) -> Sequence[tuple[str, int]]:
        """Data files of an attempt below its folder, with their sizes, sorted."""
        ...

    def secure(self, staged: str, files: Sequence[tuple[str, int]]) -> Sequence[str | None]:
        """Make these files durable; their digests, in the same order, where that is cheap."""
        ...

    def publish(self, entry: Entry) -> None:
        """Show the files of an entry to readers; nothing where they are shown already.

        May be called by several processes at once. Raises RefusedError where something else is in
        their place, MalformedError where they are gone.
        """
        ...

    def misfit(self, entry: Entry) -> str | None:
        """What is wrong with the published files of an entry; None where all are there."""
        ...

    def misfits(self, entries: Sequence[Entry]) -> Mapping[int, str]:
        """The same of many entries, by their numbers, in as few requests as the storage allows."""
        ...

    def is_pending(self, entry: Entry) -> bool:
        """Whether an entry still waits to be published: some of its files lie aside."""
        ...

    def queries(self) -> Sequence[str]:
        """Queries that have entries in the ledger, sorted."""
        ...

    def discard(self, staged: str) -> None:
        """Remove what an attempt of this process has staged; errors are left to the next sweep."""
        ...

    def sweep(self, query_id: str, below_epoch: int) -> Swept:
        """Remove what attempts of this query and of lower epochs have left, within bounds."""
        ...

    def holds(self, name: str) -> bool:
        """Whether something of this name lies directly in the table's folder."""
        ...

    def file_system(self) -> Any:
        """An fsspec file system, for a writer without Spark; it takes our addresses."""
        ...

    def foreign(self) -> str | None:
        """Something in the table's folder while nobody owns it yet; None where it is free."""
        ...


def addresses_of(path: str, ledger: str | None) -> Addresses:
    """The folders of a table; raises UsageError where there is no room beside it."""
    table = path.rstrip("/")
    parent, slash, name = table.rpartition("/")
    if not name or not slash or parent.endswith(":/"):
        raise UsageError(
            "files sink: a table needs a folder above it, for the ledger beside it",
            subject=path,
            next_action="name a folder inside this one",
        )
    return Addresses(table=table, ledger=(ledger or f"{parent}/_{name}.ledger").rstrip("/"))


def staged_name(query_id: str, epoch: int, batch_id: int, token: str) -> str:
    """The folder of an attempt."""
    return f"{query_id}/{epoch}-{batch_id}-{token}"


def epoch_of_staged(name: str) -> int | None:
    """The epoch of the folder of an attempt; None where the name is none of ours."""
    parts = name.split("-")
    return (
        int(parts[0])
        if len(parts) == 3
        and all(p.isalnum() for p in parts)
        and (parts[0].isdigit() and parts[1].isdigit())
        else None
    )


def is_data(path: str) -> bool:
    """Whether Spark's readers would take it for data: InMemoryFileIndex passes over the others."""
    parts = path.split("/")
    return not any(p.startswith(".") or (p.startswith("_") and "=" not in p) for p in parts)


def differs(files: Sequence[DataFile], found: dict[str, int]) -> str | None:
    """The first file that is not there, or not of its size, in words."""
    for file in files:
        size = found.get(file.path)
        if size is None:
            return f"{file.path} is missing"
        if size != file.size_bytes:
            return f"{file.path} has {size:,} bytes and was written with {file.size_bytes:,}"
    return None
