"""The recorder: events as Spark gave them, a seal for each committed batch, no error outside."""

from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.records.opening import open_records
from holdfast.core.recording.seal import Seal, decode_seal, digest
from holdfast.core.running.ports import Records
from holdfast.errors import UnreachableError
from holdfast.flows.records import recorder as recording
from holdfast.flows.records.recorder import CATCH_UP_MAX, Recorder
from holdfast.flows.records.segment_reading import read_segments
from tests.checkpoint_builder import CheckpointBuilder
from tests.lease.worlds import DictRecords, FakeClock, unreachable
from tests.recording.events import event, idle


@pytest.fixture
def built(tmp_path: Path) -> CheckpointBuilder:
    return CheckpointBuilder(tmp_path / "ck").metadata()


def recorder(built: CheckpointBuilder, records: Records, **more: Any) -> Recorder:
    clock = more.pop("clock", FakeClock())
    return Recorder(str(built.root), records, 1, monotonic=clock.monotonic, **more)


def events(records: Records) -> list[Any]:
    return list(read_segments(records, "progress", limit=10_000).lines)


def seals(records: Records) -> list[Seal]:
    found = [decode_seal(line) for line in read_segments(records, "seals", limit=10_000).lines]
    return [seal for seal in found if seal is not None]


def test_events_are_kept_exactly_as_they_came(built: CheckpointBuilder) -> None:
    records = open_records(str(built.root))
    target = recorder(built, records)
    sent = [event(n, sources=[{"metrics": {"maxOffsetsBehindLatest": "12"}}]) for n in range(3)]
    for each in sent:
        target.note(each)
    target.close()
    assert events(records) == sent
    assert target.trouble is None


def test_a_committed_batch_is_sealed_by_the_bytes_of_its_files(built: CheckpointBuilder) -> None:
    built.batches([0, 1])
    records = DictRecords()
    target = recorder(built, records)
    target.note(event(0))
    target.note(event(1))
    target.close()

    def of(name: str) -> str:
        return digest((built.root / name).read_bytes())

    assert seals(records) == [
        Seal(
            batch=n, offsets=of(f"offsets/{n}"), commits=of(f"commits/{n}"), metadata=of("metadata")
        )
        for n in (0, 1)
    ]


def test_no_batch_is_sealed_twice(built: CheckpointBuilder) -> None:
    built.batches([0])
    records = DictRecords()
    target = recorder(built, records)
    for _ in range(3):
        target.note(event(0))
        target.note(idle(0))
    target.close()
    target.close()
    assert [seal.batch for seal in seals(records)] == [0]


def test_an_idle_event_of_the_batch_to_come_does_not_keep_it_from_its_seal(
    built: CheckpointBuilder,
) -> None:
    built.batches([0])
    records = DictRecords()
    target = recorder(built, records)
    target.note(event(0))
    target.note(idle(1))
    built.batches([1])
    target.note(event(1))
    target.close()
    assert [seal.batch for seal in seals(records)] == [0, 1]


def test_batches_that_finished_between_two_events_are_sealed_too(built: CheckpointBuilder) -> None:
    built.batches(range(8))
    records = DictRecords()
    target = recorder(built, records)
    target.note(event(2))
    target.note(event(6))
    target.close()
    assert [seal.batch for seal in seals(records)] == [2, 3, 4, 5, 6]


def test_catching_up_is_bounded(built: CheckpointBuilder) -> None:
    built.batches([0, *range(10_000 - CATCH_UP_MAX - 5, 10_001)])
    records = DictRecords()
    target = recorder(built, records)
    target.note(event(0))
    target.note(event(10_000))
    target.close()
    assert [s.batch for s in seals(records)] == [0, *range(10_001 - CATCH_UP_MAX, 10_001)]


def test_no_seal_without_a_commit(built: CheckpointBuilder) -> None:
    built.plan(0)
    records = DictRecords()
    target = recorder(built, records)
    target.note(event(0))
    target.close()
    assert seals(records) == []
    assert target.trouble is None


def test_a_commit_that_follows_late_is_sealed_then(built: CheckpointBuilder) -> None:
    built.plan(0)
    records = DictRecords()
    target = recorder(built, records)
    target.note(event(0))
    built.commit(0)
    built.batches([1])
    target.note(event(1))
    target.close()
    assert [seal.batch for seal in seals(records)] == [0, 1]


def test_what_cannot_be_read_is_not_sealed_and_is_tried_again(built: CheckpointBuilder) -> None:
    built.batches([0, 1])
    hidden = built.root / "commits" / "0"
    kept = hidden.read_bytes()
    hidden.unlink()
    hidden.symlink_to(built.root / "commits" / "1")
    records = DictRecords()
    target = recorder(built, records)
    target.note(event(0))
    assert target.trouble is not None and "commits/0" in target.trouble
    target.note(event(1))
    assert target.trouble is not None
    hidden.unlink()
    hidden.write_bytes(kept)
    target.note(idle(2))
    target.close()
    assert target.trouble is None
    assert sorted(seal.batch for seal in seals(records)) == [0, 1]


def test_a_checkpoint_that_is_not_there_yet_is_no_error(tmp_path: Path) -> None:
    records = DictRecords()
    target = Recorder(str(tmp_path / "ck"), records, 1, monotonic=FakeClock().monotonic)
    target.note(event(0))
    assert target.trouble is not None
    CheckpointBuilder(tmp_path / "ck").metadata().batches([0, 1])
    target.note(event(1))
    target.close()
    assert target.trouble is None
    assert [seal.batch for seal in seals(records)] == [0, 1]


def test_at_most_one_idle_event_a_minute_is_kept(built: CheckpointBuilder) -> None:
    clock, records = FakeClock(), DictRecords()
    target = recorder(built, records, clock=clock)
    for second in range(0, 60, 10):
        target.note(idle(1, second))
        clock.sleep(10)
    target.note(event(1))
    target.note(idle(2, 59))
    target.close()
    assert [(e["batchId"], e["numInputRows"]) for e in events(records)] == [(1, 0), (1, 10), (2, 0)]


def test_a_batch_without_rows_that_ran_is_not_idle(built: CheckpointBuilder) -> None:
    records = DictRecords()
    target = recorder(built, records)
    for n in range(4):
        target.note(event(n, rows=0))
    target.close()
    assert [e["batchId"] for e in events(records)] == [0, 1, 2, 3]


def test_an_event_that_is_seen_twice_is_kept_once(built: CheckpointBuilder) -> None:
    records = DictRecords()
    target = recorder(built, records)
    target.note(event(0))
    target.note(event(0))
    target.close()
    assert len(events(records)) == 1


def test_secrets_never_reach_a_record(built: CheckpointBuilder) -> None:
    records = DictRecords()
    target = recorder(built, records, secrets=frozenset({'pa"ss', "", "unused"}))
    target.note(event(0, sink={"description": 'jdbc://u:pa"ss@host'}))
    target.close()
    assert events(records)[0]["sink"] == {"description": "jdbc://u:***@host"}
    assert not any(b'pa\\"ss' in data for data in records.files.values())


def test_tick_flushes_what_is_due_and_nothing_else(built: CheckpointBuilder) -> None:
    built.batches([0])
    clock, records = FakeClock(), DictRecords()
    target = recorder(built, records, clock=clock)
    target.note(event(0))
    target.tick()
    assert records.files == {}
    clock.sleep(1)
    target.tick()
    assert len(records.files) == 2


@pytest.mark.parametrize("bad", [{}, {"batchId": None}, {"batchId": "7"}, {"batchId": -1}])
def test_odd_events_harm_nothing(built: CheckpointBuilder, bad: dict[str, Any]) -> None:
    records = DictRecords()
    target = recorder(built, records)
    target.note(bad)
    target.note(event(0))
    target.close()
    assert len(events(records)) == 2


def test_a_store_that_is_gone_raises_nothing(built: CheckpointBuilder) -> None:
    built.batches([0])
    records = DictRecords(fault=unreachable)
    target = recorder(built, records)
    target.note(event(0))
    target.close()
    assert target.trouble is not None
    records.fault = lambda act, name: None
    target.close()
    assert target.trouble is None
    assert [seal.batch for seal in seals(records)] == [0]
    assert len(events(records)) == 1


def test_any_error_of_a_library_stays_inside(
    built: CheckpointBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(location: str) -> None:
        raise RuntimeError("a library lost its head")

    monkeypatch.setattr(recording, "open_storage", fail)
    target = recorder(built, DictRecords())
    target.note(event(0))
    assert target.trouble == "RuntimeError: a library lost its head"
    target.close()


def test_an_unreachable_checkpoint_is_said(
    built: CheckpointBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(location: str) -> None:
        raise UnreachableError("the store gave no answer", subject=location)

    monkeypatch.setattr(recording, "open_storage", fail)
    target = recorder(built, DictRecords())
    target.note(event(0))
    assert target.trouble is not None and "HF007" in target.trouble
