"""Rows of a batch in an order that depends on nothing but the rows, sorted by Spark."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, StructType, VariantType

ROWS_AT_ONCE = 100_000
"""Rows of one partition while they are sorted and handed over: the driver holds one partition."""

_PLACE = "holdfast place"
"""A column of our own while rows are sorted; a name that nobody gives to a column."""


def sorted_by_place(frame: DataFrame) -> DataFrame:
    """The rows behind a first column that holds a hash of each, sorted by it.

    The frame is read more than once, so it must have been computed. A hash of 64 bits spreads rows
    evenly over ranges. Two rows may share one by chance: whoever reads them tells them apart.
    """
    columns = [F.col(f"`{name.replace('`', '``')}`") for name in frame.columns]
    kinds = [field.dataType for field in frame.schema.fields]
    hashed = [_hashable(*pair) for pair in zip(columns, kinds, strict=True)]
    placed = frame.select(F.xxhash64(*hashed).alias(_PLACE), *columns)
    parts = -(-frame.count() // ROWS_AT_ONCE)
    place = F.col(f"`{_PLACE}`")
    spread = placed.coalesce(1) if parts <= 1 else placed.repartitionByRange(parts, place)
    return spread.sortWithinPartitions(place)


def _hashable(column: Column, kind: DataType) -> Column:
    """The column without maps, whose entries have no order and which Spark does not hash."""
    match kind:
        case MapType():
            entries = F.transform(
                F.map_entries(column),
                lambda entry: F.xxhash64(
                    _hashable(entry["key"], kind.keyType),
                    F.lit(";"),
                    _hashable(entry["value"], kind.valueType),
                ),
            )
            return F.array_sort(entries)
        case VariantType():
            return F.to_json(column)
        case ArrayType() if _has_map(kind):
            return F.transform(column, lambda item: _hashable(item, kind.elementType))
        case StructType() if _has_map(kind):
            parts = [
                _hashable(column.getField(field.name), field.dataType) for field in kind.fields
            ]
            return F.struct(*parts)
    return column


def _has_map(kind: DataType) -> bool:
    match kind:
        case MapType() | VariantType():
            return True
        case ArrayType():
            return _has_map(kind.elementType)
        case StructType():
            return any(_has_map(field.dataType) for field in kind.fields)
    return False
