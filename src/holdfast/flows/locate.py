"""Find the checkpoint that a person meant: the folder itself, a part of it, or one just above."""

import os.path
from dataclasses import dataclass

from holdfast.adapters.records.reading import FOLDER as RECORDS_FOLDER
from holdfast.adapters.storage.opening import open_storage, shown
from holdfast.core.fact import Known, interpret
from holdfast.core.finding import Finding
from holdfast.core.formats.compactible_log import parse_compactible_name
from holdfast.core.formats.file_sink_log import parse_file_sink_log
from holdfast.core.limits import FILE_BYTES_MAX
from holdfast.core.parts import METADATA
from holdfast.core.ports import Storage
from holdfast.core.reading.survey import KNOWN_ENTRIES
from holdfast.core.tree import Entries
from holdfast.errors import HoldfastError, NotACheckpointError, UsageError

_CHILDREN_LOOKED_INTO_MAX = 200
_LOGS = frozenset({"offsets", "commits"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """The storage of a checkpoint, and a note where it is not the one that was typed."""

    storage: Storage
    notes: tuple[Finding, ...] = ()


def locate(location: str) -> Located:
    """Open the checkpoint at or around a location, read-only; raises NotACheckpointError."""
    inner = _checkpoint_around(location)
    storage = _open(location, inner)
    if storage is not None:
        entries = storage.entries()
        if is_checkpoint(entries):
            return Located(storage=storage)
        below = _only_checkpoint_below(storage, entries, location)
        if below is not None:
            return below
    if inner is not None:
        outer = open_storage(inner)
        if is_checkpoint(outer.entries()):
            text = f"{_last(location)} belongs to the checkpoint {outer.location}, shown here"
            return Located(storage=outer, notes=(Finding(code="HF120", message=text),))
    assert storage is not None or inner is not None
    raise _not_a_checkpoint(location, storage)


def is_checkpoint(entries: Entries) -> bool:
    """Say from the names directly inside whether a folder is a checkpoint.

    A log of batches, or `metadata` with nothing beside it that is not Spark's.
    """
    if _LOGS & set(entries.folders):
        return True
    return METADATA in entries.files and set(entries.folders) <= KNOWN_ENTRIES


def _open(location: str, inner: str | None) -> Storage | None:
    """Open what was typed; None where it is a file inside what may be a checkpoint."""
    try:
        return open_storage(location)
    except UsageError:
        if inner is None:
            raise
        return None


def _checkpoint_around(location: str) -> str | None:
    """The folder above `offsets`, `commits`, `sources`, `state` or `metadata` in a location."""
    parts = location.rstrip("/").split("/")
    for index in range(len(parts) - 1, 0, -1):
        if parts[index] in KNOWN_ENTRIES:
            outer = "/".join(parts[:index])
            return outer or "/"
    if parts and parts[0] in KNOWN_ENTRIES and "://" not in location:
        return os.path.curdir
    return None


def _only_checkpoint_below(storage: Storage, entries: Entries, location: str) -> Located | None:
    found = []
    for name in entries.folders[:_CHILDREN_LOOKED_INTO_MAX]:
        if name == RECORDS_FOLDER:
            continue
        child = storage.at(name)
        try:
            if is_checkpoint(child.entries()):
                found.append((name, child))
        except HoldfastError:
            continue  # a neighbour that cannot be listed is not what was meant
    if len(found) == 1:
        name, child = found[0]
        text = f"this folder holds one checkpoint, {name}, shown here: {child.location}"
        return Located(storage=child, notes=(Finding(code="HF120", message=text),))
    if found:
        names = ", ".join(name for name, _ in found[:5])
        more = ", …" if len(found) > 5 else ""
        raise NotACheckpointError(
            f"this folder holds {len(found)} checkpoints ({names}{more})",
            subject=storage.location,
            next_action=f"holdfast fleet {shown(location)}",
        )
    return None


def _not_a_checkpoint(location: str, storage: Storage | None) -> NotACheckpointError:
    entries = storage.entries() if storage else Entries((), ())
    names = set(entries.folders) | set(entries.files)
    parent = shown(location).rstrip("/").rpartition("/")[0] or "."
    look_around = f"holdfast fleet {parent}"
    if not names:
        text, action = "this folder is empty", look_around
    elif "_spark_metadata" in names:
        text = f"this is the output of a file sink: {_sink_memory(storage)}"
        action = f"its checkpoint is the job's checkpointLocation; try: {look_around}"
    elif "_delta_log" in names:
        text = "this is a Delta table: it holds _delta_log/"
        action = f"its checkpoint is the job's checkpointLocation; try: {look_around}"
    elif {"metadata", "data"} <= set(entries.folders):
        text = "this looks like an Iceberg table: it holds metadata/ and data/"
        action = f"its checkpoint is the job's checkpointLocation; try: {look_around}"
    else:
        text = "this is not a checkpoint: it holds none of offsets/, commits/, metadata"
        action = f"holdfast fleet {shown(location)}"
    return NotACheckpointError(text, subject=shown(location), next_action=action)


def _sink_memory(storage: Storage | None) -> str:
    """What the file sink itself remembers: the newest entry of its log."""
    try:
        log = storage.at("_spark_metadata") if storage else None
        names = log.entries().files if log else ()
    except HoldfastError:
        return "it holds _spark_metadata/, which cannot be listed"
    ids = {p[0]: n for n in names if (p := parse_compactible_name(n))}
    if log is None or not ids:
        return "it holds _spark_metadata/"
    newest = max(ids)
    fact = interpret(
        ids[newest], log.read([ids[newest]], FILE_BYTES_MAX)[ids[newest]], parse_file_sink_log
    )
    files = f"files in it: {len(fact.value):,}" if isinstance(fact, Known) else "unreadable"
    return f"its _spark_metadata/ remembers batches up to {newest:,} ({files})"


def _last(location: str) -> str:
    return location.rstrip("/").rpartition("/")[2]
