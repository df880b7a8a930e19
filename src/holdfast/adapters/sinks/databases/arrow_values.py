"""Which values of an Arrow column PostgreSQL does not hold: looked for without a loop over rows."""

from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_DAYS = (date.min, date.max)
_MOMENTS = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


def first_wrong(column: Any, *, required: bool) -> tuple[int, str] | None:
    """The first value that cannot be stored, counted from 0, and why; None where all can."""
    found, reason = _wrong(column, required)
    return None if found is None else (pc.index(found, pa.scalar(True)).as_py(), reason)


def narrowed(column: Any) -> Any:
    """A column as PostgreSQL has it: there are no whole numbers of one byte."""
    return column.cast(pa.int16()) if pa.types.is_int8(column.type) else column


def _wrong(column: Any, required: bool) -> tuple[Any, str]:
    """Which values cannot be stored, None where all can; and why."""
    kind = column.type
    if required and column.null_count:
        return pc.is_null(column), "the column takes no null"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        # Most text has none, and the bytes of a whole column are looked through at once.
        raw = column.buffers()[2]
        if raw is not None and b"\0" in memoryview(raw).tobytes():
            found = pc.match_substring(column, "\0")
            if pc.any(found).as_py():
                return found, "the text holds U+0000, which PostgreSQL cannot store"
    if pa.types.is_date(kind):
        return _outside(column, _DAYS), "the date lies outside the years 1 to 9999"
    if pa.types.is_timestamp(kind):
        return _outside(column, _MOMENTS), "the timestamp lies outside the years 1 to 9999 in UTC"
    return None, ""


def _outside(column: Any, ends: tuple[Any, Any]) -> Any:
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.tz is None:
        ends = (ends[0].replace(tzinfo=None), ends[1].replace(tzinfo=None))
    first, last = (pa.scalar(end, type=kind) for end in ends)
    outside = pc.or_(pc.less(column, first), pc.greater(column, last))
    return outside if pc.any(outside).as_py() else None
