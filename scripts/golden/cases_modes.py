"""Ways of running that write the logs differently: async tracking, real time, continuous."""

from __future__ import annotations

import time
from typing import Any

from cases_state import FORMAT_2, ROCKSDB
from pyspark.sql import DataFrame
from registry import case
from stage import Stage


@case("async_progress")
def async_progress(stage: Stage) -> None:
    """Progress persisted every so often only: offsets and commits have gaps."""
    stage.put_files(12)
    writer = stage.writer(stage.files())
    writer = writer.option("asyncProgressTrackingEnabled", "true")
    writer = writer.option("asyncProgressTrackingCheckpointIntervalMs", "1000")
    writer = writer.trigger(processingTime="300 milliseconds")
    stage.run_until(writer, lambda progress: len(progress) >= 12)
    stage.note = (
        "asynchronous progress tracking: not every finished batch is in the logs, and batch ids"
        " in batches_finished are those of progress events"
    )


@case("continuous")
def continuous(stage: Stage) -> None:
    """Continuous processing: an epoch's offsets are written after the epoch."""
    frame = stage.spark.readStream.format("rate").option("numPartitions", 1).load()
    query = stage.writer(frame).trigger(continuous="1 second").start()
    time.sleep(6)
    query.stop()
    stage.listen(query)
    stage.note = "continuous trigger, stopped after six seconds"


NUMBERS = (1, 2, 3, 1)


def memory_stream(stage: Stage) -> tuple[Any, DataFrame]:
    """Spark's own test source for real-time mode, reached through the JVM.

    LowLatencyMemoryStream is, with Kafka, one of the few sources RealTimeModeAllowlist lets in.
    """
    jvm = stage.spark._jvm
    sources = jvm.org.apache.spark.sql.execution.streaming.sources
    streams = getattr(getattr(sources, "LowLatencyMemoryStream$"), "MODULE$")
    encoder = jvm.org.apache.spark.sql.Encoders.INT()
    stream = streams.singlePartition(stage.spark._jsparkSession, encoder)
    converter = jvm.scala.jdk.javaapi.CollectionConverters
    stream.addData(converter.asScala(jvm.java.util.List.of(*NUMBERS)).toSeq())
    return stream, DataFrame(stream.toDF(), stage.spark)


def run_in_real_time(stage: Stage, frame: DataFrame) -> None:
    """Two batches of five seconds, the shortest Spark allows, into the console."""
    writer = stage.writer(frame, "console", mode="update").trigger(realTime="5 seconds")
    stage.run_until(writer, lambda progress: len(progress) >= 2)
    stage.note = "real-time mode, stopped by hand during the batch after the last progress event"


# The trigger's argument realTime is in PySpark from 4.2 on, though the mode itself is in 4.1.
@case("real_time_memory", since=(4, 2), process="realtime", conf=FORMAT_2)
def real_time_memory(stage: Stage) -> None:
    """Commit log v2, because 4.3 refuses real-time mode on v1."""
    _, frame = memory_stream(stage)
    run_in_real_time(stage, frame)


@case("real_time_stateful", since=(4, 2), process="realtime", conf={**ROCKSDB, **FORMAT_2})
def real_time_stateful(stage: Stage) -> None:
    """An aggregation in real-time mode, which Spark has from 4.3 on."""
    _, frame = memory_stream(stage)
    run_in_real_time(stage, frame.groupBy("value").count())
