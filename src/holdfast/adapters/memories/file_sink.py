"""The memory of Spark's own file sink: the names in `_spark_metadata`, by batch id alone.

FileStreamSink.addBatch passes over every batch whose id is not above the newest name there,
whichever query it comes from.
"""

from typing import Final
from urllib.parse import unquote

from holdfast.adapters.storage.opening import open_storage, shown
from holdfast.core.evidence.sink_memory import (
    BATCHES_MAX,
    MarkedBatch,
    SinkMemory,
    missing_memory,
)
from holdfast.core.fact import Absent, Known
from holdfast.core.formats.compactible_log import parse_compactible_name
from holdfast.core.formats.file_sink_log import parse_file_sink_log
from holdfast.core.limits import FILE_BYTES_MAX
from holdfast.core.ports import Storage
from holdfast.core.secret_text import as_shown
from holdfast.core.tree import Entries
from holdfast.errors import HoldfastError, MalformedError, UnreachableError

LOG: Final = "_spark_metadata"
_DELTA_LOG: Final = "_delta_log"
_GAPS_NAMED: Final = 5
_READ_MAX: Final = 10
"""Entries that are read, the newest; a compact one among them names all before it."""
_FILES_MAX: Final = 1_000
"""Files whose presence is asked for."""


def read_file_sink(path: str) -> SinkMemory:
    """Read the log of a folder by its names; raises HoldfastError where it cannot be listed."""
    sink = shown(as_shown(path))
    try:
        storage = open_storage(str(path))
    except UnreachableError as error:
        if error.why == "missing":
            return missing_memory(sink, "file-sink", "at-or-below", "there is no such folder yet")
        raise
    log = storage.at(LOG)
    entries = _entries(log)
    if entries is None:
        return _without_log(storage, sink)
    names: dict[int, str] = {}
    compact: list[int] = []
    for name in entries.files:
        found = parse_compactible_name(name)
        if found is None:
            continue
        batch, is_compact = found
        if is_compact:
            compact.append(batch)
        if is_compact or batch not in names:
            names[batch] = name
    if not names:
        note = f"{LOG} is there and names no batch: it was emptied, or the first batch died"
        return _memory(sink, names, log, None, (note,))
    oldest = _complete_from(names, max(compact, default=None))
    damage = (*_gaps(names, oldest), *_damage(storage, log, names))
    return _memory(sink, names, log, oldest, (), damage)


def _memory(
    sink: str,
    names: dict[int, str],
    log: Storage,
    oldest: int | None,
    notes: tuple[str, ...],
    damage: tuple[str, ...] = (),
) -> SinkMemory:
    origin = f"{sink}/{LOG}"
    listed = sorted(names, reverse=True)[:BATCHES_MAX]
    times = log.stat([names[batch] for batch in listed])
    batches = tuple(
        MarkedBatch(
            batch=batch,
            rows=None,  # the log lists files, and no file says how many rows it has
            at_ms=times[names[batch]].modified_ms or None if names[batch] in times else None,
            where=f"{LOG}/{names[batch]}",
        )
        for batch in listed
    )
    return SinkMemory(
        sink=sink,
        kind="file-sink",
        exists=True,
        key=Absent(origin),
        last=Known(listed[0], f"{origin}/{names[listed[0]]}") if listed else Absent(origin),
        skips="at-or-below",
        table_id=Absent(origin),
        batches=batches,
        oldest_known=None if oldest is None else max(oldest, listed[-1]),
        damage=damage,
        notes=notes,
    )


def _entries(storage: Storage) -> Entries | None:
    """What lies in a folder, None where there is no such folder."""
    try:
        found = storage.entries()
    except UnreachableError as error:
        if error.why == "missing" or isinstance(error.__cause__, FileNotFoundError):
            return None
        raise
    return found if found.files or found.folders or storage.reads_are_cheap else None


def _without_log(storage: Storage, sink: str) -> SinkMemory:
    if _entries(storage.at(_DELTA_LOG)) is not None:
        raise MalformedError(
            f"this is a Delta table and not the output of a file sink: it has {_DELTA_LOG}",
            subject=sink,
            next_action="ask for its memory as delta:…",
        )
    memory = missing_memory(
        sink,
        "file-sink",
        "at-or-below",
        f"there is no {LOG}: no batch of Spark's file sink has been finished here, or it was "
        "removed, or somebody else writes these files",
    )
    return memory


def _complete_from(names: dict[int, str], compact: int | None) -> int:
    """The batch from which on every name must be there.

    Spark removes names below the newest compaction after a while, and never one above it: all
    from the compaction on must be there (CompactibleFileStreamLog.allFiles).
    """
    start = 0 if compact is None else compact
    while start - 1 in names:
        start -= 1
    return start


def _gaps(names: dict[int, str], oldest: int) -> tuple[str, ...]:
    missing = [batch for batch in range(oldest, max(names)) if batch not in names]
    if not missing:
        return ()
    told = ", ".join(str(batch) for batch in missing[:_GAPS_NAMED])
    more = ", …" if len(missing) > _GAPS_NAMED else ""
    return (f"{LOG} lacks batch {told}{more}: every Spark reader of the folder fails",)


def _damage(storage: Storage, log: Storage, names: dict[int, str]) -> tuple[str, ...]:
    """What is wrong with the newest entries, and with the files that they name."""
    cheap = storage.reads_are_cheap
    newest = [names[batch] for batch in sorted(names, reverse=True)[: _READ_MAX if cheap else 1]]
    wanted: list[str] = []
    for name, content in log.read(newest, FILE_BYTES_MAX).items():
        try:
            if isinstance(content, HoldfastError):
                raise content
            entries = parse_file_sink_log(content or b"")
        except HoldfastError as error:
            return (
                f"{LOG}/{name} is damaged, and Spark skips the batch all the same: {error.message}",
            )
        wanted += [_inside(entry.path) for entry in entries if entry.action == "add"]
    # On an object store each would be a request; the files of a batch are there before its entry.
    wanted = [name for name in wanted if name][: _FILES_MAX if cheap else 0]
    missing = sorted(set(wanted) - set(storage.stat(wanted)))
    if not missing:
        return ()
    return (f"{len(missing):,} files that {LOG} names are gone, such as {missing[0]}",)


def _inside(path: str) -> str:
    """The name of a data file of a table that is not partitioned; '' where it lies deeper."""
    folder, _, name = path.rpartition("/")
    return "" if "=" in folder.rpartition("/")[2] else unquote(name)
