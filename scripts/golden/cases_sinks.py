"""Checkpoints that belong to a sink with a memory of its own."""

from __future__ import annotations

from cases_state import windows
from pyspark.sql import DataFrame
from registry import SOME, case
from stage import Stage


def into_folder(stage: Stage, frame: DataFrame, kind: str) -> None:
    """Run into the file sink; its manifest is `_spark_metadata` in the output folder."""
    writer = stage.writer(frame, kind).option("path", str(stage.place.output))
    stage.finish(writer.trigger(availableNow=True))


@case("file_sink_compacted")
def file_sink_compacted(stage: Stage) -> None:
    """Eleven batches: the manifest has a 9.compact and one entry after it."""
    stage.put_files(11)
    into_folder(stage, stage.files().coalesce(1), "json")


@case("file_sink_stateful", only=SOME)
def file_sink_stateful(stage: Stage) -> None:
    """Aggregation into parquet; batches without output leave an empty manifest entry."""
    stage.put_files(2)
    into_folder(stage, windows(stage), "parquet")


def look(frame: DataFrame, batch_id: int) -> None:
    """Touch every row, as a real foreachBatch would."""
    frame.collect()


@case("foreach_batch", only=SOME)
def foreach_batch(stage: Stage) -> None:
    stage.put_files(2)
    writer = stage.writer(stage.files(), sink="").foreachBatch(look)
    stage.finish(writer.trigger(availableNow=True))
