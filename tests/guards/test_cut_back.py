"""HF219: a checkpoint that reaches less far than our records know."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.core.job import SinkSpec
from tests.guards.worlds import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "base")


def test_an_older_copy_was_restored(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    world.sealed(job, 0, 1, 2, 3, torn=b'{"batch": 9')
    (found,) = world.check(job)
    assert (found.code, found.severity) == ("HF219", "error")
    assert "ends with batch 2, and batch 3" in found.message
    options = {"path": "/o", "asyncProgressTrackingEnabled": "true"}
    weak = replace(job, sink=SinkSpec(kind="file", options=options))
    assert world.codes(weak) == [("HF219", "warning")]


def test_logs_that_were_emptied_while_the_id_was_kept(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    world.sealed(job, 0, 1, 2)
    for log in ("offsets", "commits"):
        shutil.rmtree(world.base / "orders" / log)
    (found,) = world.check(job)
    assert (found.code, found.severity) == ("HF219", "error")
    assert "is empty, and batch 2" in found.message


def test_a_commit_that_was_removed_to_run_a_batch_again(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    world.sealed(job, 0, 1, 2)
    (world.base / "orders" / "commits" / "2").unlink()
    assert world.codes(job) == []


def test_an_idle_query_names_a_batch_that_was_never_planned(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    world.ended(job, 3)
    assert world.codes(job) == []
    world.ended(job, 4, epoch=2)
    assert world.codes(job) == [("HF219", "error")]


def test_what_the_newest_epoch_tells_counts(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    world.ended(job, 9)
    world.sealed(job, 1, 2, epoch=2)
    assert world.codes(job) == []
