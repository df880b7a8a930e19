"""From a declared job to a started query: source, transform, sink."""

import importlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.types import TimestampType

from holdfast.core.batch import Batch
from holdfast.core.job import Job, SinkSpec, SourceSpec
from holdfast.core.run_ports import BatchSink
from holdfast.errors import UsageError

_START_TIMEOUT_S = 120.0

CheckLease = Callable[[], None]


def read_source(spark: SparkSession, source: SourceSpec) -> DataFrame:
    """A streaming DataFrame of what the job reads."""
    reader = spark.readStream.format(source.format).options(**source.options)
    if source.schema is not None:
        reader = reader.schema(source.schema)
    return reader.load(source.path) if source.path is not None else reader.load()


def apply_transform(frame: DataFrame, transform: str | None, folder: str) -> DataFrame:
    """Import `module:function` from the declaration's folder and hand it the rows."""
    if transform is None:
        return frame
    module_name, _, function_name = transform.partition(":")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        function = getattr(importlib.import_module(module_name), function_name)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise UsageError(
            f"the transform cannot be imported: {error}",
            subject=transform,
            next_action=f"put {module_name}.py with a function {function_name} into {folder}",
        ) from error
    result = function(frame)
    if not isinstance(result, DataFrame):
        raise UsageError(
            f"the transform gave {type(result).__name__} and not a DataFrame",
            subject=transform,
            next_action="return a DataFrame",
        )
    return result


def start_native(frame: DataFrame, job: Job, *, once: bool) -> StreamingQuery:
    """Start a query into a sink of Spark's own: files or Delta."""
    options = dict(job.sink.options)
    kind = job.sink.kind
    writer = _writer(frame, job, once).format(
        options.pop("format", "parquet") if kind == "file" else kind
    )
    partition_by = options.pop("partition_by", [])
    if partition_by:
        writer = writer.partitionBy(*partition_by)
    path = options.pop("path")
    options.pop("schema", None)  # what readers of this sink are told, nothing for Spark's writer
    return writer.options(**{k: str(v) for k, v in options.items()}).start(path)


class LedgerWriter:
    """Writes micro-batches into a sink with a ledger, as a function for foreachBatch."""

    def __init__(self, sink: BatchSink, name: str, epoch: int, check: CheckLease) -> None:
        """The query's id is known only once it has started: `started` tells it."""
        self._sink = sink
        self._name = name
        self._epoch = epoch
        self._check = check
        self._query_id: str | None = None
        self._known = threading.Event()
        self._opened = False

    def started(self, query_id: str) -> None:
        """Say under which id the query runs; batches wait for it."""
        self._query_id = query_id
        self._known.set()

    def __call__(self, frame: DataFrame, batch_id: int) -> None:
        """Write one batch exactly once."""
        if not self._known.wait(_START_TIMEOUT_S) or self._query_id is None:
            raise UsageError("the query did not say its id in time", subject=self._name)
        self._check()
        if not self._opened:
            self._sink.open(self._query_id, self._epoch)
            self._opened = True
        executed = _Executed(frame)
        batch = Batch(
            query_id=self._query_id,
            sink=self._name,
            batch_id=batch_id,
            epoch=self._epoch,
            columns=tuple(frame.columns),
            rows=executed.rows,
            offsets={},
        )
        self._sink.write(batch)
        executed.finish()


class _Executed:
    """Rows of a frame, and the promise that its plan is run whole even if nobody wants them.

    A stateful query whose batch is skipped without running the plan never commits the state of
    that batch, and can never start again (STATE_STORE_COMMIT_VALIDATION_FAILED, Spark 4.1).
    """

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame
        self._done = False

    def rows(self) -> Iterator[Sequence[Any]]:
        zoned = {
            index
            for index, field in enumerate(self._frame.schema.fields)
            if isinstance(field.dataType, TimestampType)
        }
        for row in self._frame.toLocalIterator():
            yield tuple(_in_utc(v) if i in zoned else v for i, v in enumerate(row))
        self._done = True

    def finish(self) -> None:
        if not self._done:
            self._frame.write.format("noop").mode("overwrite").save()


def start_with_ledger(
    frame: DataFrame, job: Job, writer: LedgerWriter, *, once: bool
) -> StreamingQuery:
    """Start a query whose batches go through a ledger."""
    query = _writer(frame, job, once).foreachBatch(writer).start()
    writer.started(str(query.id))
    return query


def _writer(frame: DataFrame, job: Job, once: bool) -> DataStreamWriter:
    writer = (
        frame.writeStream.queryName(job.name)
        .outputMode(job.output_mode)
        .option("checkpointLocation", job.checkpoint)
    )
    if once or job.trigger.kind == "available-now":
        return writer.trigger(availableNow=True)
    return writer.trigger(processingTime=job.trigger.interval or "0 seconds")


def _in_utc(value: Any) -> Any:
    """A moment with its zone: PySpark hands TIMESTAMP over in the driver's own zone, unsaid."""
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def is_native(sink: SinkSpec) -> bool:
    """Whether Spark itself writes this sink."""
    return sink.kind in ("file", "delta")
