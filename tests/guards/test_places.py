"""Guards right before a start, for places that are secret or not on a disk."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from holdfast.adapters.records.opening import open_records
from holdfast.core.secret_text import SecretText
from holdfast.flows.guard import check_start, remember_identity
from tests.checkpoint_builder import QUERY_ID, CheckpointBuilder
from tests.guards.worlds import OTHER_ID, World, make_job


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "base")


def test_a_location_from_the_environment_is_not_given_away(world: World) -> None:
    world.ran(world.job("orders", at="secret-a"))
    world.base.joinpath("secret-a").rename(world.base / "secret-b")
    CheckpointBuilder(world.base).write("_spark_metadata/0", "v1").metadata(OTHER_ID)
    location = SecretText(str(world.base / "secret-b"), "${env:WHERE}/b")
    found = world.check(replace(world.job("orders"), checkpoint=location))
    assert [finding.code for finding in found] == ["HF209", "HF210", "HF218"]
    told = " ".join(finding.message + finding.next_action for finding in found)
    assert str(world.base) not in told and "secret-b" not in told and "${env:WHERE}/b" in told


def test_a_location_from_the_environment_that_moved(world: World) -> None:
    def job(base: Path) -> Any:
        location = SecretText(str(base / "orders"), "${env:BASE}/orders")
        return replace(world.job("orders"), checkpoint=location)

    world.ran(job(world.base))
    record = (world.base / "_holdfast" / "orders" / "identity.json").read_text()
    assert str(world.base) not in record and "${env:BASE}/orders" in record
    assert world.codes(job(world.base)) == []
    moved = world.base.rename(world.base.with_name("elsewhere"))
    (found,) = world.check(job(moved))
    assert (found.code, found.severity) == ("HF213", "error")
    assert "was last used at another place" in found.message


@pytest.fixture
def bucket() -> Iterator[MemoryFileSystem]:
    files = MemoryFileSystem()
    yield files
    files.rm("/guards", recursive=True)


def test_a_store_of_objects(bucket: MemoryFileSystem) -> None:
    job = make_job("orders", "memory://guards/base/orders")
    bucket.pipe_file("/guards/marker", b"")
    records = open_records(job.checkpoint)

    def codes(name: str = "orders") -> list[str]:
        checkpoint = f"memory://guards/base/{name}"
        found = check_start(
            make_job(name.rpartition("/")[2], checkpoint),
            open_records(checkpoint),
            given_by_hand=False,
        )
        return [finding.code for finding in found]

    assert codes() == []
    remember_identity(job, records, QUERY_ID)
    assert codes() == ["HF211"]
    bucket.pipe_file("/guards/base/orders/metadata", f'{{"id":"{QUERY_ID}"}}'.encode())
    bucket.pipe_file("/guards/base/orders/offsets/0", b"v1")
    assert codes() == []
    assert codes("orders/state/inner") == ["HF209"]
    bucket.mv("/guards/base/orders", "/guards/base/sales", recursive=True)
    assert codes() == ["HF211"]
    assert codes("sales") == ["HF218"]
    bucket.pipe_file("/guards/_spark_metadata/0", b"v1")
    assert codes("new") == ["HF210"]
