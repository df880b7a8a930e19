"""Damaged copies on real Spark: refused as they are, mended, started, held against the truth."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from holdfast.adapters.plan_file import plan_id
from holdfast.flows.operations.carrying import apply_plan, undo_operation
from holdfast.flows.operations.resume import plan_resume
from tests.plans.test_replay_on_spark import HDFS, World, ids
from tests.plans.test_replay_on_spark import spark as spark
from tests.plans.test_resume import (
    commit_empty,
    commit_torn,
    commits_ahead,
    plan_empty,
    plan_torn,
)
from tests.plans.worlds import digests, looked

pytestmark = pytest.mark.spark

Damage = Callable[[Path], None]


@pytest.fixture
def world(spark: SparkSession, tmp_path: Path) -> Iterator[World]:
    made = World(spark, tmp_path, stateful=False)
    for count in (5, 7, 11):
        made.feed(count)
    made.run()
    yield made


def drop_batch(world: World, batch: int) -> None:
    """The sink never got this batch: as if the kill had come before it."""
    (world.output / str(batch)).unlink()


@pytest.mark.parametrize(
    "damage", [plan_torn, plan_empty, commit_torn, commit_empty, commits_ahead]
)
def test_refused_then_mended_then_right(damage: Damage, world: World) -> None:
    damage(world.checkpoint)
    if damage is not commits_ahead:  # Spark runs a batch into the sink before it refuses that
        copy = world.checkpoint.parent / "refused"
        shutil.copytree(world.checkpoint, copy)
        checkpoint, world.checkpoint = world.checkpoint, copy
        saved = {path.name: path.read_bytes() for path in world.output.iterdir()}
        with pytest.raises(StreamingQueryException):
            world.run()
        world.checkpoint = checkpoint
        assert saved == {path.name: path.read_bytes() for path in world.output.iterdir()}
    before = digests(world.checkpoint)
    plan = plan_resume(looked(world.checkpoint))
    apply_plan(plan)
    undo_operation(str(world.checkpoint), plan_id(plan))
    assert digests(world.checkpoint) == before
    undo_operation(str(world.checkpoint), plan_id(plan), again=True)
    # This sink keeps a file for each batch id: what comes again takes the place of the first.
    world.feed(3)
    world.run()
    assert ids(world.written()) == Counter(range(26))


def test_state_of_the_torn_batch_is_not_counted_twice(spark: SparkSession, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", HDFS)
    spark.conf.set("spark.sql.streaming.stateStore.checkpointFormatVersion", "1")
    world = World(spark, tmp_path, stateful=True)
    for count in (5, 7, 11):
        world.feed(count)
    world.run()
    plan_torn(world.checkpoint)
    drop_batch(world, 2)
    plan = plan_resume(looked(world.checkpoint))
    assert any("state/" in step.says for step in plan.steps)
    apply_plan(plan)
    world.feed(17)
    world.run()
    assert world.counts() == Counter(row["word"] for row in world.rows)


def test_metadata_that_is_gone_is_refused_by_spark(world: World) -> None:
    (world.checkpoint / "metadata").unlink()
    with pytest.raises(Exception, match="MISSING_METADATA"):
        world.run()
