"""Moments with their zone: PySpark hands TIMESTAMP over in the driver's own zone, unsaid."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from pyspark.sql.types import ArrayType, DataType, MapType, Row, StructType, TimestampType

Change = Callable[[Any], Any]


def zoned_row(schema: StructType) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """What turns the values of a row into themselves, with every moment in UTC, nested ones too.

    TIMESTAMP_NTZ has no zone, and stays as it is.
    """
    changes = [_change(field.dataType) for field in schema.fields]
    if not any(changes):
        return tuple

    def zoned(row: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            value if change is None or value is None else change(value)
            for change, value in zip(changes, row, strict=True)
        )

    return zoned


def _change(kind: DataType) -> Change | None:
    """What is done to values of a type; None where they hold no moment."""
    match kind:
        case TimestampType():
            return _in_utc
        case ArrayType():
            return _of_items(_change(kind.elementType))
        case MapType():
            return _of_entries(_change(kind.keyType), _change(kind.valueType))
        case StructType():
            return _of_fields(kind)
    return None


def _of_items(change: Change | None) -> Change | None:
    if change is None:
        return None
    return lambda items: [_done(change, item) for item in items]


def _of_entries(key: Change | None, value: Change | None) -> Change | None:
    if key is None and value is None:
        return None
    return lambda entries: {_done(key, k): _done(value, v) for k, v in entries.items()}


def _of_fields(kind: StructType) -> Change | None:
    if all(_change(field.dataType) is None for field in kind.fields):
        return None
    made, zoned = Row(*kind.names), zoned_row(kind)
    return lambda row: made(*zoned(row))


def _done(change: Change | None, value: Any) -> Any:
    return value if change is None or value is None else change(value)


def _in_utc(value: Any) -> Any:
    return value.astimezone(UTC) if isinstance(value, datetime) else value
