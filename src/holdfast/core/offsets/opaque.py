"""Any other source: shown as written; only a bare number (socket, memory) can be ordered."""

import json

from holdfast.core.formats.json_text import Json
from holdfast.core.offsets.kind import OffsetKind, Position, SourceTrace

_TEXT_MAX = 120


def _recognises(value: Json, text: str, traces: frozenset[SourceTrace]) -> bool:
    return True


def _positions(value: Json) -> tuple[Position, ...]:
    if type(value) is int:
        return (Position((), (value,), f"{value:,}"),)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (Position((), None, text if len(text) <= _TEXT_MAX else f"{text[:_TEXT_MAX]}…"),)


OPAQUE = OffsetKind(
    name="opaque",
    label_names=(),
    counts=None,
    recognises=_recognises,
    positions=_positions,
)
