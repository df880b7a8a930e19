"""A Python data source: whatever dict its reader returned, as Python's json.dumps spells it.

Spark's own writers put no blank after `:` and `,`; json.dumps does. That is the only mark that
PythonMicroBatchStream leaves.
"""

import json

from holdfast.core.formats.json_text import Json
from holdfast.core.offsets.kind import OffsetKind, Position, SourceTrace


def _recognises(value: Json, text: str, traces: frozenset[SourceTrace]) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    if _is_mongodb(value):
        return False
    return text in (json.dumps(value), json.dumps(value, ensure_ascii=False))


def _is_mongodb(value: dict[str, Json]) -> bool:
    """MongoOffset of mongo-spark, whose BSON library puts the same blanks as Python."""
    if value.keys() == {"version", "offset"} and isinstance(value["offset"], dict):
        value = value["offset"]
    return "_data" in value or value.keys() == {"$timestamp"}


def _positions(value: Json) -> tuple[Position, ...]:
    return tuple(
        Position((key,), (item,) if type(item) is int else None, json.dumps(item))
        for key, item in value.items()
    )


PYTHON = OffsetKind(
    name="python",
    label_names=("field",),
    counts=None,
    recognises=_recognises,
    positions=_positions,
)
