"""Rate per micro-batch: `{"offset":100,"timestamp":1000}` (RatePerMicroBatchStreamOffset)."""

from holdfast.core.formats.json_text import Json
from holdfast.core.offsets.kind import OffsetKind, Position, SourceTrace


def _recognises(value: Json, text: str, traces: frozenset[SourceTrace]) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"offset", "timestamp"}
        and all(type(item) is int for item in value.values())
        and " " not in text
    )


def _positions(value: Json) -> tuple[Position, ...]:
    return (Position((), (value["offset"],), f"row {value['offset']:,}"),)


RATE_MICRO_BATCH = OffsetKind(
    name="rate-micro-batch",
    label_names=(),
    counts="records",
    recognises=_recognises,
    positions=_positions,
    may_be_real_time=False,
)
