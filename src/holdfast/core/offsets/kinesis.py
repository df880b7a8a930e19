"""Kinesis: an iterator per shard, beside a `metadata` object that names the stream.

Written by awslabs/spark-sql-kinesis-connector and, alike, by qubole/kinesis-sql. Sequence numbers
grow within a shard, but they count nothing.
"""

from holdfast.core.formats.json_text import Json
from holdfast.core.offsets.kind import OffsetKind, Position, SourceTrace

_METADATA = "metadata"


def _recognises(value: Json, text: str, traces: frozenset[SourceTrace]) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    shards = [name for name in value if name != _METADATA]
    if not all(isinstance(value[name], dict) for name in value):
        return False
    named = isinstance(value.get(_METADATA), dict) and "streamName" in value[_METADATA]
    return named or (bool(shards) and all(name.startswith("shardId-") for name in shards))


def _positions(value: Json) -> tuple[Position, ...]:
    return tuple(
        _position(shard, iterator) for shard, iterator in value.items() if shard != _METADATA
    )


def _position(shard: str, iterator: dict[str, Json]) -> Position:
    place = str(iterator.get("iteratorPosition", ""))
    order = (int(place),) if place.isascii() and place.isdigit() and len(place) < 200 else None
    return Position((shard,), order, place or str(iterator.get("iteratorType", "unknown")))


KINESIS = OffsetKind(
    name="kinesis",
    label_names=("shard",),
    counts=None,
    recognises=_recognises,
    positions=_positions,
)
