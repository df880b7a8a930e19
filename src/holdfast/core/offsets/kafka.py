"""Kafka: `{"topic":{"0":23,"1":45}}`, the NEXT offset to read per partition (KafkaSourceOffset)."""

from holdfast.core.formats.json_text import Json
from holdfast.core.offsets.kind import OffsetKind, Position, SourceTrace


def _recognises(value: Json, text: str, traces: frozenset[SourceTrace]) -> bool:
    if not isinstance(value, dict):
        return False
    if not value:
        return "initial-offset" in traces
    return all(isinstance(parts, dict) and _are_partitions(parts) for parts in value.values())


def _are_partitions(parts: dict[str, Json]) -> bool:
    return all(
        partition.isascii() and partition.isdigit() and type(offset) is int
        for partition, offset in parts.items()
    )


def _positions(value: Json) -> tuple[Position, ...]:
    return tuple(
        Position((topic, partition), (offset,), f"{offset:,}")
        for topic, parts in value.items()
        for partition, offset in parts.items()
    )


KAFKA = OffsetKind(
    name="kafka",
    label_names=("topic", "partition"),
    counts="records",
    recognises=_recognises,
    positions=_positions,
)
