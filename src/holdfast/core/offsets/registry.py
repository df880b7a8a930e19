"""Which kind of source wrote this offset? Asked in order; the first that recognises it says."""

from dataclasses import dataclass

from holdfast.core.formats.json_text import Json, decode_json
from holdfast.core.offsets.delta import DELTA
from holdfast.core.offsets.file import FILE
from holdfast.core.offsets.iceberg import ICEBERG
from holdfast.core.offsets.kafka import KAFKA
from holdfast.core.offsets.kind import OffsetKind, SourceTrace
from holdfast.core.offsets.kinesis import KINESIS
from holdfast.core.offsets.opaque import OPAQUE
from holdfast.core.offsets.python import PYTHON
from holdfast.core.offsets.rate import RATE
from holdfast.core.offsets.rate_micro_batch import RATE_MICRO_BATCH
from holdfast.errors import CheckpointError

KINDS: tuple[OffsetKind, ...] = (
    DELTA,
    ICEBERG,
    FILE,
    RATE_MICRO_BATCH,
    RATE,
    KINESIS,
    KAFKA,
    PYTHON,
    OPAQUE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOffset:
    """An offset with its meaning; is_json says whether the text could be decoded at all."""

    kind: OffsetKind
    value: Json
    text: str
    is_json: bool


def interpret_offset(text: str, traces: frozenset[SourceTrace] = frozenset()) -> SourceOffset:
    """Decode a source's line. Text that is no JSON is kept as it is, under `opaque`."""
    try:
        value = decode_json(text, "the offset")
    except CheckpointError:
        return SourceOffset(kind=OPAQUE, value=text, text=text, is_json=False)
    kind = next(kind for kind in KINDS if kind.recognises(value, text, traces))
    return SourceOffset(kind=kind, value=value, text=text, is_json=True)


def kind_named(name: str) -> OffsetKind:
    """The kind with this name."""
    return next(kind for kind in KINDS if kind.name == name)
