"""Checkpoints that differ by their sources: offset JSON, private logs, several sources."""

from __future__ import annotations

from registry import SOME, case
from stage import Stage


@case("file_compacted")
def file_compacted(stage: Stage) -> None:
    """21 entries in the file source's log: 9.compact and 19.compact, and one entry after."""
    stage.put_files(21)
    stage.drain(stage.files())


@case("rate")
def rate(stage: Stage) -> None:
    """The rate source's offset is a bare number of seconds since the time in sources/0/0."""
    stage.once(stage.spark.readStream.format("rate").load(), runs=3)


def per_micro_batch(stage: Stage, rows: int = 5):  # type: ignore[no-untyped-def]
    """The rate-micro-batch source: data that is a function of the offset alone."""
    reader = stage.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows)
    return reader.option("startTimestamp", 1_767_225_600_000).load()


@case("rate_micro_batch")
def rate_micro_batch(stage: Stage) -> None:
    stage.once(per_micro_batch(stage), runs=3, pause=0)


@case("two_sources")
def two_sources(stage: Stage) -> None:
    """A file source and rate-micro-batch, joined by a union: two lines after the metadata."""
    stage.put_files(2)
    left = stage.files().select("id", "ts")
    right = per_micro_batch(stage).selectExpr("value AS id", "timestamp AS ts")
    stage.once(left.union(right), runs=2, pause=0)


@case("two_sources_one_silent")
def two_sources_one_silent(stage: Stage) -> None:
    """The second folder is empty at first: its line is "-" until files arrive."""
    stage.put_files(1)
    (stage.place.root / "late").mkdir()
    stage.drain(stage.files().union(stage.files("late")))
    stage.put_files(1, "late")
    stage.drain(stage.files().union(stage.files("late")))


@case("two_sources_never_heard", only=SOME)
def two_sources_never_heard(stage: Stage) -> None:
    """As above, but stopped while the second source still has no offset at all."""
    stage.put_files(2)
    (stage.place.root / "late").mkdir()
    stage.drain(stage.files().union(stage.files("late")))


LOG_V2 = {"spark.sql.streaming.offsetLog.formatVersion": "2"}
EVOLUTION = {"spark.sql.streaming.queryEvolution.enableSourceEvolution": "true"}


def named_sources(stage: Stage) -> None:
    """Sources with names: 4.2 writes offset log v1 all the same unless told, 4.3 writes v2."""
    stage.put_files(2)
    stage.put_files(1, "other")
    stage.drain(stage.files(name="orders").union(stage.files("other", name="refunds")))


def named_sources_changed(stage: Stage) -> None:
    """A second run that drops one named source and adds another."""
    for folder in ("orders", "refunds", "returns"):
        stage.put_files(1, folder)
    names = ("orders", "refunds"), ("orders", "returns")
    for first, second in names:
        stage.put_files(1, first)
        stage.drain(stage.files(first, name=first).union(stage.files(second, name=second)))


case("named_sources", since=(4, 2), conf=EVOLUTION)(named_sources)
case("named_sources_changed", since=(4, 2), conf=EVOLUTION)(named_sources_changed)
NAMED_V2 = {**EVOLUTION, **LOG_V2}
case("named_sources_changed_log_v2", since=(4, 2), conf=NAMED_V2)(named_sources_changed)


@case("offset_log_v2", since=(4, 2), conf=LOG_V2)
def offset_log_v2(stage: Stage) -> None:
    """Offset log v2 without names: the ids are the positions "0" and "1"."""
    stage.put_files(2)
    stage.put_files(2, "other")
    stage.drain(stage.files().union(stage.files("other")))


@case("purged_logs", conf={"spark.sql.streaming.minBatchesToRetain": "2"})
def purged_logs(stage: Stage) -> None:
    """Old offsets, commits and state versions deleted by Spark's own retention."""
    stage.put_files(6)
    counts = stage.files().withWatermark("ts", "5 minutes").groupBy("key").count()
    stage.drain(counts, mode="update")
