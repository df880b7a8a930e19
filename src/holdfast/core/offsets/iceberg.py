"""Iceberg: a snapshot and a position in its files (StreamingOffset).

Snapshot ids are random, so two of them cannot be ordered without the table's history.
"""

from holdfast.core.formats.json_text import Json
from holdfast.core.offsets.kind import OffsetKind, Position, SourceTrace


def _recognises(value: Json, text: str, traces: frozenset[SourceTrace]) -> bool:
    return (
        isinstance(value, dict)
        and type(value.get("snapshot_id")) is int
        and type(value.get("position")) is int
        and "scan_all_files" in value
    )


def _positions(value: Json) -> tuple[Position, ...]:
    whole = " (all files of the snapshot)" if value["scan_all_files"] else ""
    text = f"snapshot {value['snapshot_id']}, file {value['position']:,}{whole}"
    return (Position((str(value["snapshot_id"]),), (value["position"],), text),)


ICEBERG = OffsetKind(
    name="iceberg",
    label_names=("snapshot",),
    counts=None,
    recognises=_recognises,
    positions=_positions,
    may_be_real_time=False,
)
