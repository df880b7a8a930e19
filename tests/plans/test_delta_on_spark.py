"""Replays into Delta tables on real Spark, by Delta's own sink: forward and cut, and undone."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from holdfast.adapters.plan_file import plan_id
from holdfast.flows.operations.carrying import apply_plan, undo_operation
from holdfast.flows.operations.replay import plan_replay
from tests.plans.worlds import looked
from tests.running.spark_sessions import fresh_session, lake_settings

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with fresh_session(lake_settings()) as session:
        yield session


class World:
    """A query over JSON files into Delta's own streaming sink."""

    def __init__(self, spark: SparkSession, folder: Path, *, stateful: bool) -> None:
        self.spark, self.stateful = spark, stateful
        self.checkpoint, self.table = folder / "base" / "job", folder / "gold"
        self.input = folder / "in"
        self.input.mkdir()
        self.fed = 0

    def feed(self, count: int) -> None:
        text = "".join(f"{json.dumps({'id': self.fed + n})}\n" for n in range(count))
        path = self.input / f"{self.fed:05d}.json"
        path.write_text(text)
        # Spark takes the oldest file first, and those of one millisecond in any order.
        os.utime(path, (1_700_000_000 + self.fed, 1_700_000_000 + self.fed))
        self.fed += count

    def run(self) -> None:
        frame = (
            self.spark.readStream.schema("id long")
            .option("maxFilesPerTrigger", "1")
            .json(str(self.input))
        )
        if self.stateful:
            frame = frame.dropDuplicates(["id"])
        writer = (
            frame.writeStream.format("delta")
            .option("checkpointLocation", str(self.checkpoint))
            .trigger(availableNow=True)
        )
        writer.start(str(self.table)).awaitTermination()

    def rows(self) -> Counter[int]:
        frame = self.spark.read.format("delta").load(str(self.table))
        return Counter(row["id"] for row in frame.collect())

    def replay(self, first: int) -> str:
        plan = plan_replay(
            looked(self.checkpoint, sinks=(f"delta:{self.table}",), accept=()), first
        )
        apply_plan(plan)
        return plan_id(plan)


@pytest.mark.parametrize("stateful", [False, True], ids=["forward", "cut"])
def test_each_row_is_there_once_after_a_replay(
    stateful: bool, spark: SparkSession, tmp_path: Path
) -> None:
    world = World(spark, tmp_path, stateful=stateful)
    for count in (5, 7, 11):
        world.feed(count)
    world.run()
    assert world.rows() == Counter(range(23))
    world.replay(1)
    assert world.rows() == Counter(range(5)), "batches 1 and 2 were taken out"
    world.feed(3)
    world.run()
    assert world.rows() == Counter(range(26))
    # A second one, into the time line that the first one made.
    world.replay(1 if stateful else 5)
    world.run()
    assert world.rows() == Counter(range(26))


@pytest.mark.parametrize("stateful", [False, True], ids=["forward", "cut"])
def test_a_replay_that_was_undone_changes_nothing(
    stateful: bool, spark: SparkSession, tmp_path: Path
) -> None:
    world = World(spark, tmp_path, stateful=stateful)
    for count in (5, 7):
        world.feed(count)
    world.run()
    undo_operation(str(world.checkpoint), world.replay(1))
    assert world.rows() == Counter(range(12))
    world.feed(3)
    world.run()
    assert world.rows() == Counter(range(15))
