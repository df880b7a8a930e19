"""From a declared job to a started query: source, transform, sink."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from holdfast.adapters.sinks.delta_log import DeltaLog
from holdfast.adapters.spark.ledger_writer import LedgerWriter
from holdfast.core.job import Job, SourceSpec
from holdfast.core.running.ports import NativeSink
from holdfast.core.secret_text import as_shown
from holdfast.errors import UsageError


def read_source(spark: SparkSession, source: SourceSpec) -> DataFrame:
    """A streaming DataFrame of what the job reads."""
    reader = spark.readStream.format(source.format).options(**source.options)
    if source.schema is not None:
        reader = reader.schema(source.schema)
    return reader.load(source.path) if source.path is not None else reader.load()


def load_transform(transform: str, folder: str) -> Callable[[DataFrame], Any]:
    """Import `module:function` from the declaration's folder."""
    module_name, _, function_name = transform.partition(":")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        function = getattr(importlib.import_module(module_name), function_name)
    except Exception as error:
        # The module is the user's own: whatever it raises at import is about that code.
        raise UsageError(
            f"the transform cannot be imported: {type(error).__name__}: {error}",
            subject=transform,
            next_action=f"put {module_name}.py with a function {function_name} into {folder}",
        ) from error
    if not callable(function):
        raise UsageError(
            f"the transform is {type(function).__name__} and not a function",
            subject=transform,
            next_action="name a function: DataFrame in, DataFrame out",
        )
    checked: Callable[[DataFrame], Any] = function
    return checked


def apply_transform(frame: DataFrame, transform: str | None, folder: str) -> DataFrame:
    """Hand the rows to the transform, and see that a streaming DataFrame comes back."""
    if transform is None:
        return frame
    result = load_transform(transform, folder)(frame)
    if not isinstance(result, DataFrame):
        raise UsageError(
            f"the transform gave {type(result).__name__} and not a DataFrame",
            subject=transform,
            next_action="return a DataFrame",
        )
    if not result.isStreaming:
        raise UsageError(
            "the transform gave a DataFrame that does not come from its input",
            subject=transform,
            next_action="return what was made from the DataFrame that was handed in",
        )
    return result


def start_native(frame: DataFrame, job: Job, sink: NativeSink, *, once: bool) -> StreamingQuery:
    """Start a query into a sink of Spark's own: files or Delta.

    Raises RefusedError where a Delta table would forget which batches it has.
    """
    if sink.format == "delta" and sink.path is not None:
        log = DeltaLog(frame.sparkSession, sink.path, as_shown(sink.path))
        if log.exists():
            log.check_retention(sink.path.rstrip("/").rpartition("/")[2])
    writer = _writer(frame, job, once).format(sink.format).options(**sink.options)
    if sink.partition_by:
        writer = writer.partitionBy(*sink.partition_by)
    return writer.start(sink.path)


def start_with_ledger(
    frame: DataFrame, job: Job, writer: LedgerWriter, *, once: bool
) -> StreamingQuery:
    """Start a query whose batches go through a ledger."""
    return _writer(frame, job, once).foreachBatch(writer).start()


def _writer(frame: DataFrame, job: Job, once: bool) -> DataStreamWriter:
    writer = (
        frame.writeStream.queryName(job.name)
        .outputMode(job.output_mode)
        .option("checkpointLocation", job.checkpoint)
    )
    if job.trigger.kind == "planned-batch":
        # Trigger.Once alone ends after the batch that it finds planned (SingleBatchExecutor).
        return writer.trigger(once=True)
    if once or job.trigger.kind == "available-now":
        return writer.trigger(availableNow=True)
    return writer.trigger(processingTime=job.trigger.interval or "0 seconds")
