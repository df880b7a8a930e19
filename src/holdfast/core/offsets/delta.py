"""Delta: a place in the table's history, version then file index (DeltaSourceOffset).

Index -1 is the base of a version, before all of its files; `isStartingVersion` means that the
stream is still inside the snapshot that it began with.
"""

from holdfast.core.formats.json_text import Json
from holdfast.core.offsets.kind import OffsetKind, Position, SourceTrace


def _recognises(value: Json, text: str, traces: frozenset[SourceTrace]) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("reservoirId"), str)
        and type(value.get("reservoirVersion")) is int
        and type(value.get("index", -1)) is int
    )


def _positions(value: Json) -> tuple[Position, ...]:
    version, index = value["reservoirVersion"], value.get("index", -1)
    place = "before its files" if index < 0 else f"file {index:,}"
    # isInitialSnapshot is how newer readers of Delta name the same field.
    starting = value.get("isStartingVersion") or value.get("isInitialSnapshot")
    suffix = " of the initial snapshot" if starting else ""
    return (Position((), (version, index), f"version {version:,}, {place}{suffix}"),)


def _identity(value: Json) -> str | None:
    table_id = value.get("reservoirId")
    return table_id if isinstance(table_id, str) else None


DELTA = OffsetKind(
    name="delta",
    label_names=(),
    counts=None,
    recognises=_recognises,
    positions=_positions,
    identity=_identity,
    may_be_real_time=False,
)
