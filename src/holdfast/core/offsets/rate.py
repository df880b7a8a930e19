"""Rate: `17`, seconds since the source was created (RateStreamProvider).

The creation time is in `sources/<n>/0`. In continuous mode each
partition has `{"value", "runTimeMs"}` (RateStreamOffset).
"""

from holdfast.core.formats.json_text import Json
from holdfast.core.offsets.kind import OffsetKind, Position, SourceTrace


def _recognises(value: Json, text: str, traces: frozenset[SourceTrace]) -> bool:
    if type(value) is int:
        return "start-time" in traces
    return is_continuous_rate(value)


def is_continuous_rate(value: Json) -> bool:
    """Say whether an offset is one that only continuous mode writes."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(_is_pair(partition, pair) for partition, pair in value.items())
    )


def _is_pair(partition: str, pair: Json) -> bool:
    return (
        partition.isdigit()
        and isinstance(pair, dict)
        and set(pair) == {"value", "runTimeMs"}
        and type(pair["value"]) is int
    )


def _positions(value: Json) -> tuple[Position, ...]:
    if isinstance(value, dict):
        return tuple(
            Position((partition,), (pair["value"],), f"row {pair['value']:,}")
            for partition, pair in value.items()
        )
    return (Position((), (value,), f"second {value:,}"),)


RATE = OffsetKind(
    name="rate",
    label_names=("partition",),
    counts=None,
    recognises=_recognises,
    positions=_positions,
    may_be_real_time=False,
)
