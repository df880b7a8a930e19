"""Checkpoints of queries on Delta tables: offsets by table version, and the sink's own memory."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from registry import NEWEST, case
from stage import Stage

NO_DELTA = "no matching Delta jar in scripts/jars; made on "
LAKE = {"process": "lake", "only": NEWEST, "why_only": NO_DELTA}
UNBLOCK = {"spark.databricks.delta.streaming.allowSourceColumnRenameAndDrop": "always"}


def table(stage: Stage) -> str:
    return str(stage.place.root / "table")


def append(stage: Stage, first: int, count: int) -> None:
    """One commit of the source table."""
    rows = stage.spark.range(first, first + count).coalesce(1)
    rows.write.format("delta").mode("append").save(table(stage))


def changes(stage: Stage, **options: str) -> DataFrame:
    reader = stage.spark.readStream.format("delta").option("maxFilesPerTrigger", 1)
    return reader.options(**options).load(table(stage))


def into_delta(stage: Stage, frame: DataFrame) -> None:
    writer = stage.writer(frame, "delta").option("path", str(stage.place.output))
    stage.finish(writer.trigger(availableNow=True))


@case("delta_source_and_sink", **LAKE)
def delta_source_and_sink(stage: Stage) -> None:
    """From one Delta table to another, in two runs; the sink remembers (query id, batch id)."""
    append(stage, 0, 3)
    append(stage, 3, 3)
    into_delta(stage, changes(stage))
    append(stage, 6, 3)
    into_delta(stage, changes(stage))


@case("delta_schema_tracking", conf=UNBLOCK, **LAKE)
def delta_schema_tracking(stage: Stage) -> None:
    """A renamed column: the schema log under the checkpoint gets a second entry.

    Delta stops the query whenever it has written to the schema log, so each change of schema
    costs a start that fails by design.
    """
    append(stage, 0, 3)
    stage.spark.sql(
        f"ALTER TABLE delta.`{table(stage)}` SET TBLPROPERTIES ('delta.columnMapping.mode' = "
        "'name', 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')"
    )
    stopped = start_until_it_stays(stage)
    stage.spark.sql(f"ALTER TABLE delta.`{table(stage)}` RENAME COLUMN id TO number")
    rows = stage.spark.range(3, 6).withColumnRenamed("id", "number").coalesce(1)
    rows.write.format("delta").mode("append").save(table(stage))
    stopped += start_until_it_stays(stage)
    stage.note = f"starts that Delta stopped after writing to its schema log: {stopped}"


def start_until_it_stays(stage: Stage, limit: int = 5) -> int:
    """Start again after each stop for a change of schema; how many stops there were."""
    for stopped in range(limit):
        try:
            location = str(stage.place.checkpoint / "schema_log")
            stage.drain(changes(stage, schemaTrackingLocation=location))
            return stopped
        except PySparkException as error:
            if "METADATA_EVOLUTION" not in str(error) and "SCHEMA" not in str(error):
                raise
            last = error
    raise last
