"""Files: `{"logOffset":4}`, an id in the source's own log (FileStreamSourceOffset).

Spark 2.0 and 2.1 wrote the bare number. It counts entries of the log, neither files nor records.
"""

from holdfast.core.formats.json_text import Json
from holdfast.core.offsets.kind import OffsetKind, Position, SourceTrace


def _recognises(value: Json, text: str, traces: frozenset[SourceTrace]) -> bool:
    if isinstance(value, dict):
        return set(value) == {"logOffset"} and type(value["logOffset"]) is int
    return type(value) is int and "file-log" in traces


def _positions(value: Json) -> tuple[Position, ...]:
    log_offset = value["logOffset"] if isinstance(value, dict) else value
    return (Position((), (log_offset,), f"log entry {log_offset:,}"),)


FILE = OffsetKind(
    name="file",
    label_names=(),
    counts=None,
    recognises=_recognises,
    positions=_positions,
    may_be_real_time=False,
)
