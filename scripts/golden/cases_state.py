"""One aggregation on every kind of state store: providers, formats, codecs, checksums."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from registry import NEWEST, SOME, case
from stage import Stage

STORE = "spark.sql.streaming.stateStore."
ROCKSDB = {
    STORE + "providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    )
}
# A snapshot after every second change file, or a case of a few batches would have none.
CHANGELOG = {
    **ROCKSDB,
    STORE + "rocksdb.changelogCheckpointing.enabled": "true",
    STORE + "minDeltasForSnapshot": "2",
}
FORMAT_2 = {STORE + "checkpointFormatVersion": "2"}
ZSTD = {STORE + "compression.codec": "zstd"}
CHECKSUM = {STORE + "rowChecksum.enabled": "true"}


def windows(stage: Stage) -> DataFrame:
    """Counts by window and key under a watermark: the usual stateful query."""
    events = stage.files().withWatermark("ts", "5 minutes")
    grouped = events.groupBy(F.window("ts", "10 minutes"), "key")
    return grouped.agg(F.sum("value").alias("total"))


def two_runs(stage: Stage, first: int = 1, second: int = 1) -> None:
    """State written by one run of the query and taken up by another."""
    stage.put_files(first)
    stage.drain(windows(stage))
    stage.put_files(second)
    stage.drain(windows(stage))


@case("agg_watermark_hdfs")
def agg_watermark_hdfs(stage: Stage) -> None:
    """More than ten deltas, so that background maintenance writes a snapshot.

    A pause between two runs of the query would unload the store and with it the maintenance, so
    the batches themselves are spread out by a trigger.
    """
    stage.put_files(13)
    writer = stage.writer(windows(stage)).trigger(processingTime="700 milliseconds")
    stage.run_until(writer, lambda progress: len(progress) >= 14)


@case("agg_hdfs_two_runs", only=NEWEST)
def agg_hdfs_two_runs(stage: Stage) -> None:
    two_runs(stage)


VARIANTS: tuple[tuple[str, tuple[int, ...], Mapping[str, str]], ...] = (
    ("agg_rocksdb", (3, 5), ROCKSDB),
    ("agg_rocksdb_changelog", (3, 5), CHANGELOG),
    ("agg_rocksdb_format2", (4, 0), {**ROCKSDB, **FORMAT_2}),
    ("agg_rocksdb_changelog_format2", (4, 0), {**CHANGELOG, **FORMAT_2}),
)
for _name, _since, _conf in VARIANTS:
    case(_name, since=_since, conf=_conf)(two_runs)

RARE: tuple[tuple[str, tuple[int, ...], Mapping[str, str]], ...] = (
    ("agg_hdfs_zstd", (3, 5), ZSTD),
    ("agg_rocksdb_changelog_format2_zstd", (4, 0), {**CHANGELOG, **FORMAT_2, **ZSTD}),
    ("agg_hdfs_row_checksum", (4, 2), CHECKSUM),
    ("agg_rocksdb_changelog_row_checksum", (4, 2), {**CHANGELOG, **CHECKSUM}),
)
for _name, _since, _conf in RARE:
    case(_name, since=_since, conf=_conf, only=NEWEST)(two_runs)


@case("agg_hdfs_format2", since=(4, 0), conf=FORMAT_2)
def agg_hdfs_format2(stage: Stage) -> None:
    """The HDFS provider has no state format 2; made, or refused, by each version as it will."""
    two_runs(stage)


@case("offline_repartition", since=(4, 2), conf=ROCKSDB)
def offline_repartition(stage: Stage) -> None:
    """Two partitions become three by Spark's own tool, which adds a batch without data."""
    stage.put_files(2)
    stage.drain(windows(stage))
    keeper = stage.spark._streamingCheckpointManager
    keeper.repartition(str(stage.place.checkpoint), 3, enforce_exactly_once_sink=True)
    stage.note = "repartitioned offline from 2 to 3 after the last progress event; not run since"


@case("offline_repartition_resumed", since=(4, 2), only=NEWEST, conf=ROCKSDB)
def offline_repartition_resumed(stage: Stage) -> None:
    """The same, and then run once more."""
    offline_repartition(stage)
    stage.put_files(1)
    stage.drain(windows(stage))
    stage.note = "repartitioned offline from 2 to 3 between the two runs"


@case("two_stateful_operators", only=SOME)
def two_stateful_operators(stage: Stage) -> None:
    """Deduplication, then aggregation: operator ids 0 and 1."""
    stage.put_files(2)
    events = stage.files().withWatermark("ts", "5 minutes").dropDuplicates(["id", "ts"])
    stage.drain(events.groupBy(F.window("ts", "10 minutes")).count())


@case("agg_complete_no_watermark", only=SOME)
def agg_complete_no_watermark(stage: Stage) -> None:
    """Complete mode: state that is never removed, and no watermark in the logs."""
    stage.put_files(2)
    stage.drain(stage.files().groupBy("key").count(), mode="complete")


@case("continued_35_to_42", process="continued", only=NEWEST)
def continued_35_to_42(stage: Stage) -> None:
    """Begun by Spark 3.5.9 and continued by 4.2.0; make.py calls this once under each."""
    stage.note = "batches of the first run id by Spark 3.5.9, of the second by 4.2.0"
    stage.put_files(2)
    stage.drain(windows(stage))
