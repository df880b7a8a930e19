"""What an Iceberg table still has for a stream, from the table's own folder and no catalogue."""

from dataclasses import dataclass

from holdfast.adapters.storage.opening import open_storage, shown
from holdfast.core.evidence.source_state import PartState
from holdfast.core.formats.iceberg_metadata import (
    IcebergMetadata,
    metadata_number,
    parse_iceberg_metadata,
)
from holdfast.core.limits import FILE_BYTES_MAX
from holdfast.core.ports import Storage
from holdfast.errors import HoldfastError, UnreachableError

_FOLDER = "metadata"
_HINT = "version-hint.text"
_BY_NUMBER = "the newest metadata file was taken; a catalogue might name another one"
_BEFORE_ALL = -1
"""The snapshot of a stream that has read nothing (StreamingOffset.START_OFFSET)."""
_INSIDE = "snapshots after the stored one are counted; files of the stored one itself may be unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class IcebergAnswer:
    """What a table said."""

    table_uuid: str
    part: PartState
    notes: tuple[str, ...]


def ask_iceberg(path: str, snapshot_id: int | None) -> IcebergAnswer:
    """Hold a position against a table; raises HoldfastError where it cannot be asked."""
    metadata, notes = _newest(open_storage(path).at(_FOLDER), path)
    notes = (*notes, _INSIDE)
    return IcebergAnswer(
        table_uuid=metadata.table_uuid, part=_part(metadata, snapshot_id), notes=notes
    )


def _newest(folder: Storage, path: str) -> tuple[IcebergMetadata, tuple[str, ...]]:
    names = {n: name for name in folder.entries().files if (n := metadata_number(name)) is not None}
    hint = folder.read([_HINT], 64)[_HINT]
    digits = hint.decode("ascii", "replace").strip() if isinstance(hint, bytes) else ""
    hinted = names.get(int(digits)) if digits.isdigit() else None
    name = hinted or (names[max(names)] if names else None)
    if name is None:
        raise UnreachableError("there is no metadata of an Iceberg table", subject=shown(path))
    content = folder.read([name], FILE_BYTES_MAX)[name]
    if isinstance(content, HoldfastError):
        raise content
    if content is None:
        raise UnreachableError(f"{name} vanished meanwhile", subject=shown(path))
    return parse_iceberg_metadata(content), () if hinted else (_BY_NUMBER,)


def _part(metadata: IcebergMetadata, snapshot_id: int | None) -> PartState:
    line = metadata.ancestry()
    newest = line[0].sequence if line else None
    oldest = line[-1].sequence if line else None
    if snapshot_id == _BEFORE_ALL:
        # Whether there were snapshots before the oldest that is left, nobody can tell.
        return PartState(
            name="",
            stored=None,
            earliest=oldest,
            latest=newest,
            lag=len(line),
        )
    found = next((s for s in metadata.snapshots if s.snapshot_id == snapshot_id), None)
    if snapshot_id is None or found is None:
        return PartState(
            name="",
            stored=None,
            earliest=oldest,
            latest=newest,
            stored_is_readable=None if snapshot_id is None else False,
        )
    ids = [snapshot.snapshot_id for snapshot in line]
    if found.snapshot_id not in ids:
        # Rolled back or replaced: what follows it is not what the table holds now.
        return PartState(name="", stored=found.sequence, latest=newest, stored_is_readable=False)
    unread = line[: ids.index(found.snapshot_id)]
    added = [snapshot.added_records for snapshot in unread]
    known = [number for number in added if number is not None]
    return PartState(
        name="",
        stored=found.sequence,
        earliest=oldest,
        latest=newest,
        stored_is_readable=True,
        stored_at_ms=unread[-1].at_ms if unread else None,
        oldest_at_ms=line[-1].at_ms,
        retention_ms=metadata.snapshot_age_ms,
        # The snapshot of the position itself must stay, not only the ones after it.
        counted_from_ms=found.at_ms,
        lag=len(unread),
        lag_records=sum(known) if len(known) == len(added) else None,
    )
