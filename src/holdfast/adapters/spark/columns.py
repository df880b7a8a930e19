"""Rows of a frame as columns of plain values, in chunks: the quick way from Spark to Python.

`toLocalIterator` pickles every row, which costs more than sending it. Spark makes Arrow batches by
itself, inside Java; they come over the same socket, one partition at a time, so that memory stays
bounded.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JError
from pyspark import util
from pyspark.serializers import NoOpSerializer
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    FractionalType,
    IntegralType,
    NumericType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from holdfast.adapters.spark.zoned_values import zoned_row
from holdfast.errors import RefusedError

ROWS_AT_ONCE = 2_000
"""Of one Arrow batch. Spark's own 10,000 would be a gigabyte where rows have 100 kB."""

_AT_ONCE = "spark.sql.execution.arrow.maxRecordsPerBatch"
_LARGE = "spark.sql.execution.arrow.useLargeVarTypes"
"""Batches come without their schema; with this setting it is another one."""

_serve = getattr(util, "_local_iterator_from_socket", None)
"""No public interface of PySpark, and every job with a ledger loads this module: a version that
has it elsewhere takes rows one by one, and does not fail at the import."""

_PLAIN = (
    *(BinaryType, BooleanType, DateType, DecimalType, NumericType, StringType),
    *(TimestampNTZType, TimestampType),
)
"""Types whose values are the same by Arrow as in a Row of PySpark, moments apart."""

_DAYS = tuple(day.toordinal() - date(1970, 1, 1).toordinal() for day in (date.min, date.max))
_MICROS = (_DAYS[0] * 86_400_000_000, (_DAYS[1] + 1) * 86_400_000_000 - 1)
"""The first and the last that Python has, counted from 1970."""


def is_plain(frame: DataFrame) -> bool:
    """Whether chunks_of gives what rows of this frame hold, with every moment in UTC."""
    return all(isinstance(field.dataType, _PLAIN) for field in frame.schema.fields)


def chunks_of(frame: DataFrame) -> Iterator[Sequence[list[Any]]]:
    """A list of values for each column, some thousand rows at a time; executes the frame.

    `Dataset.toArrowBatchRdd` is no public interface of Spark; where it is missing, rows are taken
    one by one.
    """
    if _serve is None:
        return _row_by_row(frame)
    try:
        batches = _arrow_batches(frame)
    except (Py4JError, TypeError):
        return _row_by_row(frame)
    return _from_arrow(frame, batches)


def arrow_of(frame: DataFrame, rows_at_once: int) -> Iterator[Any]:
    """The rows of a plain frame as Arrow batches, of at most so many rows; executes the frame.

    Two partitions are computed at a time, and one of them is in memory whole. Moments come without
    a zone, in UTC.
    """
    if _serve is None:
        return _arrow_by_rows(frame, rows_at_once)
    try:
        batches = _arrow_batches(frame, rows_at_once)
    except (Py4JError, TypeError):
        return _arrow_by_rows(frame, rows_at_once)
    return _served(frame, batches)


def _arrow_batches(frame: DataFrame, rows_at_once: int = ROWS_AT_ONCE) -> Any:
    """An RDD of Arrow batches; how many rows one has is settled when it is made."""
    settings = frame.sparkSession.conf
    before = settings.get(_AT_ONCE, None)
    settings.set(_AT_ONCE, rows_at_once)
    try:
        return frame._jdf.toArrowBatchRdd()
    finally:
        if before is None:
            settings.unset(_AT_ONCE)
        else:
            settings.set(_AT_ONCE, before)


def _from_arrow(frame: DataFrame, batches: Any) -> Iterator[Sequence[list[Any]]]:
    kinds = [field.dataType for field in frame.schema.fields]
    for found in _served(frame, batches):
        columns = zip(found.schema.names, kinds, found.columns, strict=True)
        yield [_values(*column) for column in columns]


def _served(frame: DataFrame, batches: Any) -> Iterator[Any]:
    schema = _arrow_schema(frame)
    jvm = frame.sparkSession.sparkContext._jvm
    assert jvm is not None and _serve is not None
    # The next partition is computed while this one is being sent. Begun here, and not when the
    # first batch is taken: jobs belong to the thread that began them, and end with its query.
    served = jvm.PythonRDD.toLocalIteratorAndServe(batches, True)
    raws = _serve(served, NoOpSerializer())
    return (pa.ipc.read_record_batch(pa.py_buffer(raw), schema) for raw in raws)


def _arrow_by_rows(frame: DataFrame, rows_at_once: int) -> Iterator[Any]:
    schema = _arrow_schema(frame)
    rows = map(zoned_row(frame.schema), frame.toLocalIterator())
    while some := list(islice(rows, rows_at_once)):
        columns = zip(zip(*some, strict=True), schema.types, strict=True)
        arrays = [pa.array(values, kind) for values, kind in columns]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _arrow_schema(frame: DataFrame) -> Any:
    """How the batches lie in memory, where a moment is the same as a local time in UTC."""
    large = frame.sparkSession.conf.get(_LARGE, "false") == "true"
    fields = [
        StructField(field.name, TimestampNTZType())
        if isinstance(field.dataType, TimestampType)
        else field
        for field in frame.schema.fields
    ]
    return to_arrow_schema(StructType(fields), prefers_large_types=large)


def _values(name: str, kind: DataType, column: Any) -> list[Any]:
    """A column as Python's own values, by NumPy where that gives the same: several times quicker.

    NumPy's times and days are Python's, None for null, within the years 1 to 9999.
    """
    match kind:
        case StringType():
            return _texts(column)
        case TimestampType() | TimestampNTZType():
            _check_years(name, column.cast(pa.int64()), *_MICROS)
            times = _by_numpy(column)
            is_moment = isinstance(kind, TimestampType)
            return [t and t.replace(tzinfo=UTC) for t in times] if is_moment else times
        case DateType():
            _check_years(name, column.cast(pa.int32()), *_DAYS)
            return _by_numpy(column)
        case BinaryType():
            return _by_numpy(column)
        case IntegralType() | FractionalType() if not (
            isinstance(kind, DecimalType) or column.null_count
        ):
            return _by_numpy(column)
    values: list[Any] = column.to_pylist()
    return values


def _by_numpy(column: Any) -> list[Any]:
    values: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
    return values


def _texts(column: Any) -> list[Any]:
    try:
        return _by_numpy(column)
    except (UnicodeDecodeError, pa.ArrowException):
        # Spark takes any bytes for text. Java, which makes those of a Row, replaces what is none.
        raw = _by_numpy(column.cast(pa.large_binary()))
        return [None if value is None else value.decode("utf-8", "replace") for value in raw]


def _check_years(name: str, numbers: Any, first: int, last: int) -> None:
    found = pc.min_max(numbers).as_py()
    if found["min"] is not None and not first <= found["min"] <= found["max"] <= last:
        raise RefusedError(
            f"column {name!r} has a time outside of the years 1 to 9999; "
            "nothing of the batch was written",
            next_action="change the value in the transform",
        )


def _row_by_row(frame: DataFrame) -> Iterator[Sequence[list[Any]]]:
    zoned = zoned_row(frame.schema)
    for row in frame.toLocalIterator():
        yield [[value] for value in zoned(row)]
