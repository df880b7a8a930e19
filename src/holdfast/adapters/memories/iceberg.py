"""The memory of an Iceberg table: query and epoch in the summaries of its snapshots.

Iceberg's Spark sink looks back from the current snapshot for the newest one of its own query, and
drops an epoch that is not above it (SparkWrite). So a rollback takes the memory back as well, and
an expired snapshot is forgotten.
"""

from collections.abc import Iterator
from typing import Any, Final

from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil
from pyiceberg.table.snapshots import Snapshot

from holdfast.adapters.storage.opening import open_storage, shown
from holdfast.core.evidence.sink_memory import (
    MarkedBatch,
    SinkMemory,
    missing_memory,
    newest_marks,
    other_writers,
)
from holdfast.core.fact import Absent, Known
from holdfast.core.limits import FILE_BYTES_MAX
from holdfast.core.ports import Storage
from holdfast.core.secret_text import as_shown, without_password
from holdfast.errors import HoldfastError, MalformedError, UnreachableError, UsageError

QUERY: Final = "spark.sql.streaming.queryId"
EPOCH: Final = "spark.sql.streaming.epochId"
_HINT: Final = "version-hint.text"
_SUFFIX: Final = ".metadata.json"
_SKIPS: Final = "at-or-below"


def read_iceberg(where: str, query_id: str | None) -> SinkMemory:
    """Read snapshots by the folder of a table, or by CATALOG.NAMESPACE.TABLE.

    Raises HoldfastError where they cannot be read. A catalogue is found as pyiceberg finds it: by
    its file or its variables.
    """
    if "/" in where:
        return _by_folder(where, query_id)
    return _by_catalog(where, query_id)


def _by_catalog(where: str, query_id: str | None) -> SinkMemory:
    catalog, *name = where.split(".")
    if len(name) < 2:
        raise UsageError(
            "this names no table of a catalogue",
            subject=where,
            next_action="iceberg:CATALOG.NAMESPACE.TABLE, or iceberg:FOLDER with a slash in it",
        )
    try:
        table = load_catalog(catalog).load_table(tuple(name))
    except (NoSuchTableError, NoSuchNamespaceError):
        note = f"the catalogue {catalog!r} has no such table"
        return missing_memory(where, "iceberg", _SKIPS, note)
    except Exception as error:
        # Each kind of catalogue has its own errors; all mean that it did not answer. Their text
        # may repeat its URI, with a password.
        raise UnreachableError(
            f"the catalogue {catalog!r} does not give the table: {type(error).__name__}",
            subject=where,
            next_action="check ~/.pyiceberg.yaml or the PYICEBERG_ variables, and the server",
        ) from error
    return _memory(where, table.metadata, query_id, ())


def _by_folder(where: str, query_id: str | None) -> SinkMemory:
    sink = shown(as_shown(where))
    try:
        storage = open_storage(str(where)).at("metadata")
        names = storage.entries().files
    except UnreachableError as error:
        if error.why == "missing" or isinstance(error.__cause__, FileNotFoundError):
            note = "there is no folder `metadata`, so no Iceberg table yet"
            return missing_memory(sink, "iceberg", _SKIPS, note)
        raise
    name, notes = _newest(storage, names)
    if name is None:
        note = "its folder `metadata` names no version, so there is no Iceberg table"
        return missing_memory(sink, "iceberg", _SKIPS, note)
    content = storage.read([name], FILE_BYTES_MAX)[name]
    if isinstance(content, HoldfastError):
        raise content
    try:
        metadata = TableMetadataUtil.parse_raw((content or b"").decode())
    except (ValueError, TypeError, KeyError) as error:
        raise MalformedError(
            f"metadata/{name} is no table metadata that pyiceberg knows: {type(error).__name__}",
            subject=sink,
        ) from error
    return _memory(sink, metadata, query_id, notes)


def _newest(storage: Storage, names: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The metadata file that is current, and what has to be said of the choice."""
    versions = {name: number for name in names if (number := _number(name)) is not None}
    if not versions:
        return None, ()
    if _HINT in names:
        hint = storage.read([_HINT], 64)[_HINT]
        text = hint.decode(errors="replace").strip() if isinstance(hint, bytes) else ""
        told = next((name for name in versions if name == f"v{text}{_SUFFIX}"), None)
        if told is not None:
            # A hint is written after the version: readers of Hadoop tables look for newer ones.
            later = max((n for n in versions if n.startswith("v")), key=lambda n: versions[n])
            return (later if versions[later] > versions[told] else told), ()
    note = (
        "read without its catalogue: the highest metadata file by name was taken, which a commit "
        "that failed may have left"
    )
    return max(versions, key=lambda name: (versions[name], name)), (note,)


def _number(name: str) -> int | None:
    """The number of `v7.metadata.json` or `00007-<uuid>.metadata.json`."""
    if not name.endswith(_SUFFIX):
        return None
    digits = name.removesuffix(_SUFFIX).partition("-")[0].removeprefix("v")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None


def _memory(
    sink: str, metadata: TableMetadata, query_id: str | None, notes: tuple[str, ...]
) -> SinkMemory:
    shown_sink = without_password(sink)
    line, cut = _ancestors(metadata)
    marks = [found for snapshot in line if (found := _marked(snapshot)) is not None]
    own = [mark for query, mark in marks if query == query_id]
    last = own[0].batch if own else None
    batches = newest_marks(own)
    aside = {snapshot.snapshot_id for snapshot in line}
    rolled_back = sum(
        1
        for snapshot in metadata.snapshots
        if snapshot.snapshot_id not in aside
        and (found := _marked(snapshot)) is not None
        and found[0] == query_id
    )
    if rolled_back:
        notes += (
            f"{rolled_back} batches of this query are in snapshots that are not before the current "
            "one: they were rolled back, or written to a branch, and are forgotten",
        )
    if cut:
        notes += (
            "snapshots before the oldest one are expired or replaced: what they knew is forgotten",
        )
    origin = f"{shown_sink}: snapshots"
    others = ((query, mark.batch) for query, mark in marks if query != query_id)
    return SinkMemory(
        sink=shown_sink,
        kind="iceberg",
        exists=True,
        key=Known(query_id, origin) if query_id is not None and own else Absent(origin),
        last=Absent(origin) if last is None else Known(last, origin),
        skips=_SKIPS,
        table_id=Known(str(metadata.table_uuid), origin),
        others=other_writers(others),
        batches=batches,
        # Whether every epoch leaves a snapshot, an empty one too, is not proven: no hole is told.
        oldest_known=None,
        notes=notes,
    )


def _ancestors(metadata: TableMetadata) -> tuple[list[Snapshot], bool]:
    """The current snapshot and those before it; and whether one of them is not there any more."""
    by_id = {snapshot.snapshot_id: snapshot for snapshot in metadata.snapshots}
    found = list(_line(by_id, metadata.current_snapshot_id))
    if not found:
        return found, False
    # Java leaves the id of an expired parent, pyiceberg takes it out; the number stays in both.
    oldest = found[-1]
    return found, oldest.parent_snapshot_id is not None or (oldest.sequence_number or 0) > 1


def _line(by_id: dict[int, Snapshot], at: int | None) -> Iterator[Snapshot]:
    seen: set[int] = set()
    while at is not None and at in by_id and at not in seen:
        seen.add(at)
        yield by_id[at]
        at = by_id[at].parent_snapshot_id


def _marked(snapshot: Snapshot) -> tuple[str, MarkedBatch] | None:
    said: dict[str, Any] = (
        {} if snapshot.summary is None else snapshot.summary.additional_properties
    )
    query, epoch = said.get(QUERY), str(said.get(EPOCH, ""))
    if not query or not epoch.isdigit():
        return None
    rows = str(said.get("added-records", ""))
    mark = MarkedBatch(
        batch=int(epoch),
        rows=int(rows) if rows.isdigit() else None,
        at_ms=snapshot.timestamp_ms,
        where=f"snapshot {snapshot.snapshot_id}",
    )
    return str(query), mark
