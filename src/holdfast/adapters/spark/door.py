"""The way of existing code into Holdfast: an ordinary DataStreamWriter, and sinks for it."""

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from holdfast.adapters.sinks.opening import open_sink
from holdfast.adapters.spark.engine import java_pid
from holdfast.adapters.spark.ledger_writer import LEASED, LedgerWriter
from holdfast.adapters.spark.started_query import SparkQuery
from holdfast.core.running.ports import Binding, NativeSink
from holdfast.errors import UsageError


class Writer:
    """An ordinary writer, about to be started under a lease."""

    def __init__(self, writer: Any) -> None:
        """Refuses what is no writer of a streaming DataFrame."""
        if not isinstance(writer, DataStreamWriter):
            raise UsageError(
                f"holdfast.start takes what DataFrame.writeStream gives, "
                f"not {type(writer).__name__}",
                next_action="pass the writer itself, before its start()",
            )
        self._writer = writer
        self._frame = writer._df
        context = self._frame.sparkSession.sparkContext
        self.master = str(context.master)
        self.spark_version = str(context.version)
        self.java_pid = java_pid()

    def start(self, name: str, checkpoint: str, binding: Binding) -> "StartedWriter":
        """Start it with this name and checkpoint."""
        named = self._writer.queryName(name).option("checkpointLocation", checkpoint)
        query = named.start()
        LEASED.bind(str(query.id), binding)
        return StartedWriter(query, SparkQuery(query, self._frame))


class StartedWriter:
    """What Spark gave back, for the caller and for us."""

    def __init__(self, theirs: StreamingQuery, ours: SparkQuery) -> None:
        """Keep both."""
        self.theirs = theirs
        self.ours = ours


def sink_function(kind: str, options: Mapping[str, Any]) -> Callable[[Any, int], None]:
    """A function for foreachBatch that writes into a sink with a ledger."""
    sink = open_sink(kind, options)
    if isinstance(sink, NativeSink):
        raise UsageError(
            f"a sink of kind {kind!r} with these options is written by Spark itself",
            next_action=f"use writer.format({sink.format!r}) in place of foreachBatch",
        )
    return LedgerWriter(sink)
