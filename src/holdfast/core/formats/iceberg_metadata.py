"""The metadata file of an Iceberg table: which snapshots it still has, by Iceberg's own spec.

`metadata/v3.metadata.json` or `metadata/00003-<uuid>.metadata.json`, one JSON object.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from holdfast.core.formats.json_text import decode_object, integer, text_field
from holdfast.errors import MalformedError

_WHAT: Final = "the metadata of the Iceberg table"
_NAME: Final = re.compile(r"v?(\d{1,18})(?:-[0-9a-f-]+)?\.metadata\.json")
_AGE: Final = "history.expire.max-snapshot-age-ms"
_AGE_DEFAULT_MS: Final = 432_000_000
"""Five days (TableProperties of Iceberg); only an expiry that somebody runs removes anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IcebergSnapshot:
    """One snapshot of the table."""

    snapshot_id: int
    parent_id: int | None
    sequence: int
    at_ms: int
    added_records: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IcebergMetadata:
    """What the table says of itself."""

    table_uuid: str
    current_id: int | None
    snapshots: tuple[IcebergSnapshot, ...]
    snapshot_age_ms: int

    def ancestry(self) -> tuple[IcebergSnapshot, ...]:
        """From the current snapshot back to the oldest that is still there."""
        by_id = {snapshot.snapshot_id: snapshot for snapshot in self.snapshots}
        found: list[IcebergSnapshot] = []
        at = self.current_id
        while at is not None and at in by_id and len(found) < len(by_id):
            found.append(by_id[at])
            at = by_id[at].parent_id
        return tuple(found)


def metadata_number(name: str) -> int | None:
    """The number of a metadata file, None for any other name."""
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else None


def parse_iceberg_metadata(data: bytes) -> IcebergMetadata:
    """Read a metadata file, of format 1 to 3."""
    try:
        value = decode_object(data.decode("utf-8"), _WHAT)
    except UnicodeDecodeError as error:
        raise MalformedError(f"{_WHAT} is not UTF-8") from error
    current = value.get("current-snapshot-id")
    snapshots = value.get("snapshots") or []
    properties = value.get("properties") or {}
    if not isinstance(snapshots, list) or not isinstance(properties, dict):
        raise MalformedError(f"{_WHAT}: snapshots or properties are not what they must be")
    age = str(properties.get(_AGE, _AGE_DEFAULT_MS))
    return IcebergMetadata(
        table_uuid=text_field(value, "table-uuid", _WHAT),
        # -1 stands for none in tables of format 1.
        current_id=current if type(current) is int and current >= 0 else None,
        snapshots=tuple(_snapshot(each) for each in snapshots),
        snapshot_age_ms=int(age) if age.isascii() and age.isdigit() else _AGE_DEFAULT_MS,
    )


def _snapshot(value: Any) -> IcebergSnapshot:
    if not isinstance(value, dict):
        raise MalformedError(f"{_WHAT}: a snapshot is not an object")
    parent = value.get("parent-snapshot-id")
    summary = value.get("summary")
    added = str(summary.get("added-records", "")) if isinstance(summary, dict) else ""
    return IcebergSnapshot(
        snapshot_id=integer(value, "snapshot-id", _WHAT),
        parent_id=parent if type(parent) is int else None,
        sequence=integer(value, "sequence-number", _WHAT, 0),
        at_ms=integer(value, "timestamp-ms", _WHAT),
        added_records=int(added) if added.isascii() and added.isdigit() else None,
    )
