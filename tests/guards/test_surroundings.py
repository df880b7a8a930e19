"""Guards that look around: checkpoints inside one another, and inside tables."""

import shutil
from pathlib import Path

import pytest

from tests.checkpoint_builder import CheckpointBuilder
from tests.guards.worlds import OTHER_ID, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "base")


def test_inside_another_checkpoint(world: World) -> None:
    world.checkpoint("outer")
    for at in ("outer/inner", "outer/state/deep/inner"):
        (found,) = world.check(world.job("inner", at=at))
        assert (found.code, found.severity) == ("HF209", "error")
        assert (world.base / "outer").as_uri() in found.message


def test_around_another_checkpoint(world: World) -> None:
    job = world.job("outer")
    world.ran(job)
    for at in ("inner", "state/inner", "sources/inner"):
        world.checkpoint(f"outer/{at}", OTHER_ID)
        (found,) = world.check(job)
        assert (found.code, found.severity) == ("HF209", "error")
        assert repr(at) in found.message
        shutil.rmtree(world.base / "outer" / at)
    (world.base / "outer" / "_holdfast").mkdir()
    assert world.codes(job) == [("HF209", "error")]


def test_what_spark_itself_keeps_inside_is_no_checkpoint(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    inside = CheckpointBuilder(world.base / "orders")
    inside.write("state/0/_metadata/metadata", "v1\n{}")
    inside.write("sources/0/0", "v1\n5")
    inside.write("_schema_log_x/0", "v1\n{}")
    assert world.codes(job) == []


@pytest.mark.parametrize(
    ("log", "at", "severity"),
    [
        ("_spark_metadata/9.compact", "table/checkpoint", "error"),
        ("_spark_metadata/0", "table/deep/checkpoint", "error"),
        ("_delta_log/_last_checkpoint", "table/checkpoint", "error"),
        ("_delta_log/00000000000000000000.json", "table/_checkpoints/one", "warning"),
        ("_delta_log/00000000000000000000.json", "table/_delta_log/one", "error"),
    ],
)
def test_inside_a_table(world: World, log: str, at: str, severity: str) -> None:
    CheckpointBuilder(world.base / "table").write(log, "v1")
    (found,) = world.check(world.job("one", at=at))
    assert (found.code, found.severity) == ("HF210", severity)
    assert log.partition("/")[0] in found.message


def test_the_folder_of_a_table_itself(world: World) -> None:
    CheckpointBuilder(world.base / "one").write("_delta_log/00000000000000000000.json", "{}")
    assert world.codes(world.job("one")) == [("HF210", "error")]


def test_a_table_and_a_checkpoint_beside_it(world: World) -> None:
    CheckpointBuilder(world.base / "table").write("_delta_log/00000000000000000000.json", "{}")
    CheckpointBuilder(world.base / "iceberg").write("metadata/v1.metadata.json", "{}")
    assert world.codes(world.job("orders")) == []
    assert world.codes(world.job("orders", at="iceberg/orders")) == []
