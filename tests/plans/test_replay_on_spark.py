"""Replays on real Spark: planned, carried out, started again, and held against the truth."""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapters.plan_file import plan_id
from holdfast.flows.operations.carrying import apply_plan, undo_operation
from holdfast.flows.operations.replay import plan_replay
from tests.plans.worlds import digests, looked

pytestmark = pytest.mark.spark

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
HDFS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
STATES = {
    "hdfs": {"providerClass": HDFS, "checkpointFormatVersion": "1"},
    "rocksdb": {"providerClass": ROCKSDB, "checkpointFormatVersion": "1"},
    "rocksdb-2": {"providerClass": ROCKSDB, "checkpointFormatVersion": "2"},
}
WORDS = ["a", "b", "c"]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    yield session
    session.stop()


class World:
    """A query over JSON files whose sink is a file for each batch id, and remembers nothing."""

    def __init__(self, spark: SparkSession, folder: Path, *, stateful: bool) -> None:
        self.spark, self.folder, self.stateful = spark, folder, stateful
        self.checkpoint = folder / "base" / "job"
        self.input, self.output = folder / "in", folder / "out"
        self.input.mkdir()
        self.output.mkdir()
        self.rows: list[dict[str, Any]] = []

    def feed(self, count: int) -> None:
        fresh = [
            {"id": len(self.rows) + place, "word": WORDS[place % len(WORDS)]}
            for place in range(count)
        ]
        number = len(list(self.input.iterdir()))
        text = "".join(f"{json.dumps(row)}\n" for row in fresh)
        (self.input / f"{number:03d}.json").write_text(text)
        self.rows += fresh

    def run(self) -> None:
        """Drain what is there; each file is a batch."""
        frame: DataFrame = (
            self.spark.readStream.schema("id long, word string")
            .option("maxFilesPerTrigger", "1")
            .json(str(self.input))
        )
        if self.stateful:
            frame = frame.groupBy("word").count()
        writer = (
            frame.writeStream.foreachBatch(self.write)
            .option("checkpointLocation", str(self.checkpoint))
            .outputMode("update")
            .trigger(availableNow=True)
        )
        writer.start().awaitTermination()

    def write(self, batch: DataFrame, number: int) -> None:
        rows = [row.asDict() for row in batch.collect()]
        (self.output / str(number)).write_text(json.dumps(rows))

    def written(self, first: int = 0) -> list[dict[str, Any]]:
        files = sorted(self.output.iterdir(), key=lambda path: int(path.name))
        return [
            row for path in files if int(path.name) >= first for row in json.loads(path.read_text())
        ]

    def counts(self) -> dict[str, int]:
        """What a table that takes the newest value of each word would hold."""
        return {row["word"]: row["count"] for row in self.written()}

    def replay(self, first: int) -> str:
        plan = plan_replay(looked(self.checkpoint), first)
        apply_plan(plan)
        return plan_id(plan)


def ids(rows: list[dict[str, Any]]) -> Counter[int]:
    return Counter(row["id"] for row in rows)


def test_a_query_without_state_goes_forward(spark: SparkSession, tmp_path: Path) -> None:
    world = World(spark, tmp_path, stateful=False)
    for count in (5, 7, 11):
        world.feed(count)
    world.run()
    world.replay(1)
    world.feed(3)
    world.run()
    # Batches 3 and 4 are synthetic; what comes after them is all but the first batch, once.
    assert sorted(int(path.name) for path in world.output.iterdir())[:4] == [0, 1, 2, 5]
    first = json.loads((world.output / "0").read_text())
    assert ids(world.written(first=5)) == Counter(range(26)) - ids(first)


def test_a_replay_that_was_undone_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    world = World(spark, tmp_path, stateful=False)
    for count in (5, 7):
        world.feed(count)
    world.run()
    before = digests(world.checkpoint)
    undo_operation(str(world.checkpoint), world.replay(1))
    assert digests(world.checkpoint) == before
    world.feed(3)
    world.run()
    assert ids(world.written()) == Counter(range(15))


@pytest.mark.parametrize("kind", STATES)
def test_a_query_with_state_is_cut_back(kind: str, spark: SparkSession, tmp_path: Path) -> None:
    for name, value in STATES[kind].items():
        spark.conf.set(f"spark.sql.streaming.stateStore.{name}", value)
    world = World(spark, tmp_path, stateful=True)
    for count in (5, 7, 11, 13):
        world.feed(count)
    world.run()
    truth = Counter(row["word"] for row in world.rows)
    assert world.counts() == truth
    operation = world.replay(2)
    for path in world.output.iterdir():
        # The sink remembers nothing: what the replay writes again replaces it, batch by batch.
        if int(path.name) >= 2:
            path.unlink()
    world.feed(17)
    world.run()
    assert world.counts() == Counter(row["word"] for row in world.rows)
    assert operation in {path.name.partition(".")[0] for path in journal(world)}


def test_snapshots_of_the_other_time_line_go_aside(spark: SparkSession, tmp_path: Path) -> None:
    """Left there, the newest would be loaded; the one that the query goes on from stays."""
    for name, value in STATES["rocksdb"].items():
        spark.conf.set(f"spark.sql.streaming.stateStore.{name}", value)
    world = World(spark, tmp_path, stateful=True)
    for count in (5, 7, 11, 13):
        world.feed(count)
    world.run()
    plan = plan_replay(looked(world.checkpoint), 2)
    moved = {mark.name for step in plan.steps for mark in step.files}  # type: ignore[union-attr]
    assert any(name.startswith("state/") and name.endswith("/4.zip") for name in moved)
    assert not any(name.startswith("state/") and name.endswith("/2.zip") for name in moved)


def journal(world: World) -> list[Path]:
    return list((world.checkpoint.parent / "_holdfast" / "job" / "journal").iterdir())
