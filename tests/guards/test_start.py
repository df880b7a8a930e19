"""Guards right before a start: each fires on its own case, and on no sound one."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from holdfast.core.job import UNDECLARED, SinkSpec
from holdfast.errors import RefusedError, UnreachableError
from holdfast.flows.guard import check_declared, check_start, remember_identity
from tests.checkpoint_builder import QUERY_ID, CheckpointBuilder
from tests.guards.test_guards import declare
from tests.guards.worlds import OTHER_ID, World, make_job
from tests.lease.worlds import DictRecords, unreachable


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "base")


def test_a_first_start_in_an_empty_base(world: World) -> None:
    assert world.codes(world.job("orders")) == []


def test_a_second_start_of_the_same_job(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    assert world.codes(job) == []


def test_looking_changes_nothing(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    before = {path: path.stat().st_mtime_ns for path in sorted(world.base.rglob("*"))}
    world.check(job)
    assert before == {path: path.stat().st_mtime_ns for path in sorted(world.base.rglob("*"))}


def test_a_start_that_was_killed_before_it_was_written_down(world: World) -> None:
    job = world.job("orders")
    world.started(job)
    world.checkpoint("orders", batches=1)
    assert world.codes(job) == []


def test_a_start_that_was_killed_before_spark_made_anything(world: World) -> None:
    job = world.job("orders")
    world.started(job)
    assert world.codes(job) == []


@pytest.mark.parametrize(
    ("sink", "words"),
    [
        (SinkSpec(kind="file", options={"path": "/o"}), "would drop rows without an error"),
        (SinkSpec(kind="delta", options={"path": "/o"}), "Delta would get every row a second"),
        (
            SinkSpec(kind="delta", options={"mode": "upsert", "version": "v"}),
            "rows that are newer by their version stay",
        ),
        (SinkSpec(kind="sql", options={"mode": "append"}), "the table would get every row a sec"),
        (SinkSpec(kind="sql", options={"mode": "upsert"}), "an older row would overwrite a newer"),
        (SinkSpec(kind="mine", options={}), "written twice or dropped"),
    ],
)
def test_a_checkpoint_that_is_gone(world: World, sink: SinkSpec, words: str) -> None:
    job = world.job("orders", sink=sink)
    world.ran(job)
    (world.base / "orders").rename(world.base.parent / "aside")
    (found,) = world.check(job)
    assert (found.code, found.severity) == ("HF211", "error")
    assert "the checkpoint is gone" in found.message and QUERY_ID in found.message
    assert words in found.message


def test_an_emptied_folder_is_gone_too(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    shutil.rmtree(world.base / "orders")
    (world.base / "orders" / "offsets").mkdir(parents=True)
    assert world.codes(job) == [("HF211", "error")]


def test_gone_is_known_from_the_end_of_a_run_alone(world: World) -> None:
    job = world.job("orders")
    world.started(job)
    world.ended(job, 5)
    assert world.codes(job) == [("HF211", "error")]


def test_another_query_id(world: World) -> None:
    job, other = world.job("orders"), world.job("returns")
    world.ran(job)
    world.checkpoint("orders", OTHER_ID)
    (found,) = world.check(job)
    assert (found.code, found.severity) == ("HF212", "error")
    assert QUERY_ID in found.message and OTHER_ID in found.message
    assert "the one of job" not in found.message
    world.ran(other, OTHER_ID)
    (found,) = world.check(job)
    assert "the one of job 'returns'" in found.message


def test_a_base_that_was_moved_with_its_records(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    new = World(world.base.rename(world.base.with_name("new")))
    (found,) = new.check(new.job("orders"))
    assert (found.code, found.severity) == ("HF213", "error")
    assert f"was moved: it was last used at {job.checkpoint!r}" in found.message


def test_a_base_that_was_copied_with_its_records(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    shutil.copytree(world.base, world.base.with_name("new"))
    new = World(world.base.with_name("new"))
    (found,) = new.check(new.job("orders"))
    assert (found.code, found.severity) == ("HF213", "error")
    assert "was copied" in found.message
    assert world.codes(job) == []


def test_another_spelling_or_a_link_is_no_move(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    world.base.with_name("link").symlink_to(world.base)
    for spelled in (
        f"file://{job.checkpoint}",
        f"{job.checkpoint}/",
        str(world.base.with_name("link") / "orders"),
    ):
        assert world.codes(replace(job, checkpoint=spelled)) == []


def test_a_job_that_is_pointed_at_an_empty_place_beside_its_own(world: World) -> None:
    world.ran(world.job("orders"))
    (found,) = world.check(world.job("orders", at="orders-2"), given_by_hand=True)
    assert (found.code, found.severity) == ("HF213", "error")
    assert "this job last ran with the checkpoint" in found.message


def test_another_job_of_any_declaration(world: World) -> None:
    world.ran(world.job("returns", at="shared"))
    (found,) = world.check(world.job("orders", at="shared"), given_by_hand=True)
    assert (found.code, found.severity) == ("HF214", "error")
    assert "is that of job 'returns'" in found.message


def test_another_job_that_has_only_begun(world: World) -> None:
    world.started(world.job("returns", at="shared"))
    assert world.codes(world.job("orders", at="shared")) == [("HF214", "error")]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"job":"orders"}',
        b'{"job":"orders","query_id":5,"checkpoint":"/x"}',
        b'{"job":"orders","query_id":"","checkpoint":"/x"}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_record_of_ours(world: World, data: bytes) -> None:
    job = world.job("orders")
    world.ran(job)
    world.ended(job, 2)
    record = world.base / "_holdfast" / "orders" / "identity.json"
    record.write_bytes(data)
    (found,) = world.check(job)
    assert (found.code, found.severity) == ("HF215", "error")
    assert QUERY_ID in found.next_action


def test_a_field_of_a_later_release_is_no_damage(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    record = world.base / "_holdfast" / "orders" / "identity.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "later": 1}))
    assert world.codes(job) == []


def test_work_that_nobody_wrote_down(world: World) -> None:
    world.checkpoint("orders")
    job = world.job("orders")
    (found,) = world.check(job)
    assert (found.code, found.severity) == ("HF216", "error")
    assert QUERY_ID in found.message and "up to batch 2" in found.message
    (found,) = world.check(job, given_by_hand=True)
    assert (found.code, found.severity) == ("HF216", "warning")
    remember_identity(job, world.records(job), QUERY_ID)
    assert world.codes(job, given_by_hand=True) == []


def test_an_id_without_batches_is_work_too(world: World) -> None:
    CheckpointBuilder(world.base / "orders").metadata()
    assert world.codes(world.job("orders")) == [("HF216", "error")]


@pytest.mark.parametrize("text", [None, "", "{", '{"id":"no uuid"}'])
def test_metadata_that_is_gone_or_damaged(world: World, text: str | None) -> None:
    job = world.job("orders")
    world.ran(job)
    metadata = world.base / "orders" / "metadata"
    metadata.unlink() if text is None else metadata.write_text(text)
    (found,) = world.check(job)
    assert (found.code, found.severity) == ("HF217", "error")
    assert f'{{"id":"{QUERY_ID}"}}' in found.next_action


def test_unknown_work_without_an_id(world: World) -> None:
    CheckpointBuilder(world.base / "orders").batches(range(2))
    job = world.job("orders")
    assert world.codes(job) == [("HF216", "error"), ("HF217", "error")]
    assert world.codes(job, given_by_hand=True) == [("HF216", "warning"), ("HF217", "error")]


def test_a_checkpoint_that_was_renamed_without_its_records(world: World) -> None:
    world.ran(world.job("orders"))
    (world.base / "orders").rename(world.base / "sales")
    for given_by_hand in (False, True):
        (found,) = world.check(world.job("sales"), given_by_hand=given_by_hand)
        assert (found.code, found.severity) == ("HF218", "error")
        assert "is that of job 'orders'" in found.message
        assert repr(str(world.base / "orders")) in found.message


def test_a_damaged_record_of_a_neighbour_is_its_own_affair(world: World) -> None:
    world.ran(world.job("orders"))
    (world.base / "_holdfast" / "orders" / "identity.json").write_text("{")
    assert world.codes(world.job("returns")) == []


def test_a_place_given_by_hand_where_nothing_lies(world: World) -> None:
    job = world.job("orders", at="typo")
    assert world.codes(job, given_by_hand=True) == [("HF220", "warning")]
    assert world.codes(job) == []
    undeclared = replace(job, source=replace(job.source, format=UNDECLARED))
    assert world.codes(undeclared, given_by_hand=True) == []


def test_a_record_of_an_earlier_release(world: World) -> None:
    job = world.job("orders")
    world.ran(job)
    record = world.base / "_holdfast" / "orders" / "identity.json"
    value = json.loads(record.read_text())
    del value["place"]
    record.write_text(json.dumps(value))
    assert world.codes(job) == []
    record.write_text(json.dumps({**value, "checkpoint": "/data/old/orders"}))
    assert world.codes(job) == [("HF213", "error")]


def test_a_store_that_gives_no_answer_starts_nothing(world: World) -> None:
    job = world.job("orders")
    with pytest.raises(UnreachableError):
        check_start(job, DictRecords(fault=unreachable), given_by_hand=False)


def test_a_look_that_is_refused_is_not_called_gone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = world.job("orders")
    world.ran(job)
    records = DictRecords()
    real = os.stat

    def refuse(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        if str(path) == job.checkpoint:
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", refuse)
    with pytest.raises(UnreachableError) as unanswered:
        check_start(job, records, given_by_hand=False)
    assert unanswered.value.why == "forbidden"


def test_remembering_twice_and_remembering_something_else(world: World) -> None:
    job, records = world.job("orders"), DictRecords()
    remember_identity(job, records, QUERY_ID)
    remember_identity(job, records, QUERY_ID)
    with pytest.raises(RefusedError):
        remember_identity(job, records, OTHER_ID)
    assert QUERY_ID.encode() in records.files["identity.json"]


def test_what_is_declared_is_checked_without_a_look() -> None:
    found = check_declared(declare(make_job("orders", "/nowhere/2026-11-15")), "local")
    assert [finding.code for finding in found] == ["HF201"]
