"""Rows of a frame as columns of plain values, in chunks: the quick way from Spark to Python.

`toLocalIterator` pickles every row, which costs more than sending it. Spark makes Arrow batches by
itself, inside Java; they come over the same socket, one partition at a time, so that memory stays
bounded.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import util
from pyspark.serializers import NoOpSerializer
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

_LARGE = "spark.sql.execution.arrow.useLargeVarTypes"
"""Batches come without their schema; with this setting it is another one."""

_serve = getattr(util, "_local_iterator_from_socket", None)
"""No public interface of PySpark, and every job with a ledger loads this module: a version that
has it elsewhere takes rows one by one, and does not fail at the import."""

_QUICK = (pa.binary(), pa.string(), pa.large_binary(), pa.large_string())


def chunks_of(frame: DataFrame, expressions: Sequence[str]) -> Iterator[Sequence[list[Any]]]:
    """A list of values for each expression, some thousand rows at a time; executes the frame.

    `Dataset.toArrowBatchRdd` is no public interface of Spark; where it is missing, rows are taken
    one by one.
    """
    selected = frame.selectExpr(*expressions)
    if _serve is None:
        return _row_by_row(selected)
    try:
        batches = selected._jdf.toArrowBatchRdd()
    except (Py4JError, TypeError):
        return _row_by_row(selected)
    return _from_arrow(selected, batches)


def _from_arrow(frame: DataFrame, batches: Any) -> Iterator[Sequence[list[Any]]]:
    large = frame.sparkSession.conf.get(_LARGE, "false") == "true"
    schema = to_arrow_schema(frame.schema, prefers_large_types=large)
    jvm = frame.sparkSession.sparkContext._jvm
    assert jvm is not None and _serve is not None
    # The next partition is computed while this one is being sent.
    served = jvm.PythonRDD.toLocalIteratorAndServe(batches, True)
    for raw in _serve(served, NoOpSerializer()):
        found = pa.ipc.read_record_batch(pa.py_buffer(raw), schema)
        yield [_values(column) for column in found.columns]


def _values(column: Any) -> list[Any]:
    if column.type in _QUICK:
        # Several times quicker than to_pylist.
        found: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
        return found
    values: list[Any] = column.to_pylist()
    return values


def _row_by_row(frame: DataFrame) -> Iterator[Sequence[list[Any]]]:
    for row in frame.toLocalIterator():
        yield [[value] for value in row]
