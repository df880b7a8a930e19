"""Segments: nothing is lost that was flushed, and nothing grows without a bound."""

import json
from pathlib import Path

import pytest

from holdfast.adapters.records.opening import open_records
from holdfast.core.recording.segment import (
    SEGMENT_BYTES_MAX,
    WAITING_BYTES_MAX,
    decode_lines,
    segment_name,
    segment_names,
)
from holdfast.errors import UnreachableError
from holdfast.flows.records import segments
from holdfast.flows.records.segment_reading import read_segments
from holdfast.flows.records.segments import SegmentWriter
from tests.lease.worlds import DictRecords, FakeClock, unreachable


def writer(
    records: DictRecords, epoch: int = 1, *, bound: int = 8, clock: FakeClock | None = None
) -> SegmentWriter:
    clock = clock or FakeClock()
    return SegmentWriter(records, "progress", epoch, segments_max=bound, monotonic=clock.monotonic)


def numbers(records: DictRecords, limit: int = 1_000_000) -> list[int]:
    return [int(line["n"]) for line in read_segments(records, "progress", limit=limit).lines]


def add_large(target: SegmentWriter, *counts: int) -> None:
    """Lines of which three fill a segment."""
    for n in counts:
        target.add({"n": n, "fill": "x" * (SEGMENT_BYTES_MAX // 3 - 40)})


def test_lines_come_back_in_order_and_nothing_is_written_before_a_flush() -> None:
    records = DictRecords()
    target = writer(records)
    for n in range(5):
        target.add({"n": n})
    assert records.files == {}
    target.flush()
    assert numbers(records) == [0, 1, 2, 3, 4]
    assert list(records.files) == ["progress/00000000000000000001-00000000.jsonl"]


def test_a_full_segment_is_closed_and_the_next_begun() -> None:
    records = DictRecords()
    target = writer(records)
    add_large(target, *range(7))
    target.flush()
    names = segment_names(records.names("progress"))
    assert names == [segment_name(1, sequence) for sequence in range(3)]
    assert all(len(data) <= SEGMENT_BYTES_MAX for data in records.files.values())
    assert numbers(records) == list(range(7))


def test_oldest_segments_beyond_the_bound_are_removed() -> None:
    records = DictRecords()
    target = writer(records, bound=2)
    for n in range(12):
        add_large(target, n)
        target.flush()
    assert segment_names(records.names("progress")) == [segment_name(1, 2), segment_name(1, 3)]
    assert numbers(records) == [6, 7, 8, 9, 10, 11]


def test_many_short_runs_share_a_segment() -> None:
    records = DictRecords()
    for epoch in range(1, 50):
        target = writer(records, epoch, bound=4)
        target.add({"n": epoch})
        target.close()
    assert numbers(records) == list(range(1, 50))
    assert records.names("progress") == [segment_name(49, 0)]


def test_a_run_that_says_nothing_leaves_everything_as_it_was() -> None:
    records = DictRecords()
    first = writer(records, 1)
    first.add({"n": 1})
    first.close()
    before = dict(records.files)
    writer(records, 2).close()
    assert records.files == before


def test_a_second_writer_of_one_epoch_overwrites_nothing() -> None:
    records = DictRecords()
    first = writer(records, 3)
    add_large(first, 0, 1, 2, 3)
    first.close()
    second = writer(records, 3)
    add_large(second, 4, 5)
    second.close()
    assert numbers(records) == [0, 1, 2, 3, 4, 5]


def test_a_superseded_writer_removes_nothing_of_its_successor() -> None:
    records = DictRecords()
    old = writer(records, 1, bound=1)
    old.add({"n": 1})
    old.flush()
    new = writer(records, 2, bound=3)
    add_large(new, 2, 3, 4, 5)
    new.flush()
    kept = {name: data for name, data in records.files.items() if "0002-" in name}
    late = writer(records, 1, bound=1)
    late.add({"n": 99})
    late.flush()
    assert kept.items() <= records.files.items()


def test_a_damaged_segment_is_left_where_it_is() -> None:
    torn = f"progress/{segment_name(1, 0)}"
    records = DictRecords(files={torn: b'{"n": 1}\n{"n": '})
    target = writer(records, 2)
    target.add({"n": 2})
    target.close()
    assert records.files[torn] == b'{"n": 1}\n{"n": '
    assert numbers(records) == [1, 2]


def test_due_only_after_the_interval_and_only_when_something_waits() -> None:
    records, clock = DictRecords(), FakeClock()
    target = writer(records, clock=clock)
    clock.sleep(5)
    assert not target.due()
    target.add({"n": 1})
    assert target.due()
    target.flush()
    target.add({"n": 2})
    assert not target.due()
    clock.sleep(1)
    assert target.due()


@pytest.mark.parametrize("act", ["names", "read", "replace", "remove"])
def test_trouble_is_kept_and_lines_wait(act: str) -> None:
    records = DictRecords()
    earlier = writer(records, 1)
    earlier.add({"n": 0})
    earlier.close()

    def fail(doing: str, name: str) -> None:
        if doing == act:
            raise UnreachableError("the store gave no answer", subject=name)

    records.fault = fail
    target = writer(records, 2)
    target.add({"n": 1})
    target.flush()
    assert target.trouble is not None and "no answer" in target.trouble
    records.fault = lambda act, name: None
    target.add({"n": 2})
    target.flush()
    assert target.trouble is None
    assert sorted(set(numbers(records))) == [0, 1, 2]
    assert target.dropped == 0


def test_any_error_of_a_store_stays_inside() -> None:
    def fail(act: str, name: str) -> None:
        raise RuntimeError("a library lost its head")

    target = writer(DictRecords(fault=fail))
    target.add({"n": 1})
    target.flush()
    assert target.trouble == "RuntimeError: a library lost its head"


def test_what_waits_is_bounded_and_what_is_dropped_is_counted() -> None:
    records = DictRecords(fault=unreachable)
    target = writer(records, bound=1_000)
    many = 4 * WAITING_BYTES_MAX // SEGMENT_BYTES_MAX * 3
    for n in range(many):
        add_large(target, n)
        if n % 7 == 0:
            target.flush()
    assert target.dropped > 0
    records.fault = lambda act, name: None
    target.close()
    kept = numbers(records)
    assert kept == list(range(many))[-len(kept) :]
    assert len(kept) + target.dropped == many
    assert sum(map(len, records.files.values())) <= WAITING_BYTES_MAX + 2 * SEGMENT_BYTES_MAX


def test_a_line_that_is_too_long_or_no_json_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LINE_BYTES_MAX", 1_000)
    circle: dict[str, object] = {}
    circle["self"] = circle
    target = writer(DictRecords())
    target.add({"fill": "x" * 2_000})
    target.add(circle)
    assert target.dropped == 2
    assert target.trouble is not None


def test_a_line_longer_than_a_segment_gets_one_of_its_own() -> None:
    records = DictRecords()
    target = writer(records)
    target.add({"n": 0})
    target.add({"n": 1, "fill": "x" * (2 * SEGMENT_BYTES_MAX)})
    target.add({"n": 2})
    target.close()
    assert numbers(records) == [0, 1, 2]
    assert len(records.files) == 3


def test_reading_takes_only_the_newest_segments_that_are_needed() -> None:
    records = DictRecords()
    target = writer(records, bound=100)
    add_large(target, *range(30))
    target.close()
    read: list[str] = []
    records.fault = lambda act, name: read.append(name) if act == "read" else None
    assert numbers(records, limit=4) == [26, 27, 28, 29]
    assert len(read) == 2


@pytest.mark.parametrize(
    ("data", "lines", "damaged"),
    [
        (b"", 0, 0),
        (b'{"n":1}\n', 1, 0),
        (b'{"n":1}', 1, 0),
        (b'{"n":1}\n{"n":', 1, 1),
        (b'{"n":1}\n\x00\x00\xff\n{"n":2}\n', 2, 1),
        (b'[1]\n"x"\n5\nnull\n', 0, 4),
        (b"[" * 100_000, 0, 1),
        (b'{"n":' + b"9" * 10_000 + b"}\n", 0, 1),
        (b"\n\r\n \n", 0, 0),
    ],
)
def test_damaged_lines_are_passed_over_and_counted(data: bytes, lines: int, damaged: int) -> None:
    found = decode_lines(data)
    assert (len(found.lines), found.damaged) == (lines, damaged)


def test_a_segment_that_cannot_be_read_hides_nothing_else() -> None:
    files = {f"progress/{segment_name(1, n)}": json.dumps({"n": n}).encode() for n in range(3)}

    def fail(act: str, name: str) -> None:
        if act == "read" and name.endswith("-00000001.jsonl"):
            raise UnreachableError("no")

    records = DictRecords(files=files, fault=fail)
    found = read_segments(records, "progress", limit=10)
    assert [line["n"] for line in found.lines] == [0, 2]
    assert found.damaged == 1


def test_strangers_in_the_folder_are_let_be() -> None:
    records = DictRecords(files={"progress/notes.jsonl": b"{}\n", "progress/1-1.jsonl": b"{}\n"})
    target = writer(records, bound=1)
    target.add({"n": 1})
    target.close()
    assert {"progress/notes.jsonl", "progress/1-1.jsonl"} <= records.files.keys()
    assert numbers(records) == [1]


def test_on_a_disk_a_reader_never_sees_a_torn_segment(tmp_path: Path) -> None:
    records = open_records(str(tmp_path / "ck"))
    clock = FakeClock()
    target = SegmentWriter(records, "progress", 1, segments_max=4, monotonic=clock.monotonic)
    for n in range(40):
        target.add({"n": n})
        target.flush()
        found = read_segments(records, "progress", limit=100)
        assert (len(found.lines), found.damaged) == (n + 1, 0)
    assert len(records.names("progress")) == 1
