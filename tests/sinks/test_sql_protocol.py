"""Rows and mark in one transaction, fenced by epoch."""

from collections import Counter
from pathlib import Path

import pytest

from holdfast.adapters.sinks import sql_ledger
from holdfast.adapters.sinks.row_digest import RowDigest
from holdfast.adapters.sinks.sql import SqlSink, Step
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.core.running.ports import BatchSink
from holdfast.errors import (
    FencedError,
    InternalError,
    MalformedError,
    RefusedError,
    UnreachableError,
    UsageError,
)
from tests.sinks.sql_tables import QUERY, execute, make_batch, make_sink, opened, table_rows

TWICE = [(1, "a"), (1, "a"), (2, None)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


def test_it_is_a_batch_sink(path: Path) -> None:
    sink: BatchSink = make_sink(path)
    assert sink.last_batch(QUERY) is None
    assert not path.exists(), "asking creates nothing"


def test_a_batch_is_written_once_however_often_it_comes(path: Path) -> None:
    sink = opened(path)
    assert sink.write(make_batch(0, TWICE)) is True
    assert sink.write(make_batch(0, TWICE)) is False
    assert opened(path, 2).write(make_batch(0, TWICE, epoch=2)) is False
    assert table_rows(path) == Counter(TWICE)
    assert sink.last_batch(QUERY) == 0


def test_equal_rows_of_one_batch_all_stay(path: Path) -> None:
    opened(path).write(make_batch(0, [(1, "a")] * 5))
    assert table_rows(path) == Counter({(1, "a"): 5})


def test_rows_of_a_held_batch_are_not_asked_for(path: Path) -> None:
    sink = opened(path)
    sink.write(make_batch(3, TWICE))

    for old in (0, 2, 3):
        batch = make_batch(old, [(9, "never")])
        assert sink.write(batch) is False
    assert table_rows(path) == Counter(TWICE)


def test_queries_do_not_share_marks(path: Path) -> None:
    sink = opened(path)
    sink.open("another", 1)
    assert sink.write(make_batch(0, [(1, "a")]))
    assert sink.write(make_batch(0, [(1, "a")], query_id="another"))
    assert table_rows(path) == Counter({(1, "a"): 2})


def test_sinks_of_one_database_do_not_share_marks(path: Path) -> None:
    for table in ("one", "two"):
        assert opened(path, table=table).write(make_batch(0, [(1, "a")], sink=table))
    assert table_rows(path, "one") == table_rows(path, "two") == Counter([(1, "a")])
    assert [mark.sink for mark in read_ledger(str(path))] == ["one", "two"]
    assert [mark.sink for mark in read_ledger(str(path), "two")] == ["two"]


def test_a_lower_epoch_is_fenced_in_open_and_in_write(path: Path) -> None:
    old = opened(path, 1)
    opened(path, 2)
    with pytest.raises(FencedError, match=r"epoch 2 has taken over sink 'events'; this is epoch 1"):
        old.write(make_batch(0, TWICE))
    with pytest.raises(FencedError):
        old.open(QUERY, 1)
    assert "events" not in {name for (name,) in execute(path, "SELECT name FROM sqlite_master")}
    assert read_ledger(str(path)) == []


def test_a_fenced_writer_is_fenced_even_for_a_batch_that_is_held(path: Path) -> None:
    old = opened(path, 1)
    old.write(make_batch(0, TWICE))
    opened(path, 2)
    with pytest.raises(FencedError):
        old.write(make_batch(0, TWICE))


def test_the_same_epoch_may_open_again(path: Path) -> None:
    opened(path, 4)
    assert opened(path, 4).write(make_batch(0, TWICE, epoch=4))


def test_the_ledger_says_what_was_written(path: Path) -> None:
    sink = SqlSink(make_sink(path)._options, clock=lambda: 1_700_000_000_000)
    sink.open(QUERY, 7)
    offsets = {"0": {"start": {"p": 1}, "end": {"p": 3}}}
    sink.write(make_batch(0, TWICE, epoch=7, offsets=offsets))
    sink.write(make_batch(1, [], epoch=7))
    first, last = read_ledger(f"sqlite:///{path}", "events")
    assert (first.batch_id, first.epoch, first.rows, first.offsets) == (0, 7, 3, offsets)
    assert (last.batch_id, last.rows, last.digest) == (1, 0, "0" * 32)
    assert (first.written_at_ms, last.written_at_ms) == (None, 1_700_000_000_000)
    row = execute(path, "SELECT query_id, sink, last_batch, epoch, rows FROM holdfast_ledger")
    assert row == [(QUERY, "events", 1, 7, 0)]


def test_the_digest_can_be_computed_again_from_the_table(path: Path) -> None:
    rows = [(1, "a", 2.5, b"\x00", True), (2, "ü", float("inf"), None, False)] * 3
    columns = ("z", "name", "amount", "raw", "ok")
    opened(path, batch_column="batch").write(make_batch(5, rows, columns=columns))
    again = RowDigest(columns)
    for row in table_rows(path, what='z, name, amount, "raw", ok').elements():
        again.add(row)
    (mark,) = read_ledger(str(path))
    assert (mark.rows, mark.digest) == (again.rows, again.hex())
    assert execute(path, "SELECT DISTINCT batch FROM events") == [(5,)]


def test_the_digest_knows_no_order_but_counts_repetitions(path: Path) -> None:
    def digest(columns: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
        total = RowDigest(columns)
        for row in rows:
            total.add(row)  # type: ignore[arg-type]
        return total.hex()

    one = digest(("a", "b"), [(1, "x"), (2, "y")])
    assert one == digest(("a", "b"), [(2, "y"), (1, "x")])
    assert one == digest(("b", "a"), [("y", 2), ("x", 1)])
    assert one != digest(("a", "b"), [(1, "x"), (2, "y"), (2, "y")])
    assert one != digest(("a", "c"), [(1, "x"), (2, "y")])
    assert digest(("a",), [(1,)]) != digest(("a",), [("1",)]) != digest(("a",), [(b"1",)])
    assert digest(("a", "b"), [("x", "yz")]) != digest(("a", "b"), [("xy", "z")])


def test_a_batch_id_with_other_offsets_is_another_batch(path: Path) -> None:
    sink = opened(path)
    sink.write(make_batch(0, TWICE, offsets={"0": {"end": 5, "start": 1}}))
    assert sink.write(make_batch(0, TWICE, offsets={"0": {"start": 1, "end": 5}})) is False
    assert sink.write(make_batch(0, TWICE)) is False, "unknown offsets are no contradiction"
    with pytest.raises(RefusedError, match="it is another batch, and skipping it would lose rows"):
        sink.write(make_batch(0, TWICE, offsets={"0": {"start": 1, "end": 9}}))
    assert table_rows(path) == Counter(TWICE)


def test_marks_are_kept_for_the_last_batches_and_the_last_for_ever(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_ledger, "BATCHES_KEPT", 3)
    sink = opened(path)
    for batch_id in (0, 1, 2, 3, 10, 11):
        sink.write(make_batch(batch_id, [(batch_id, "a")]))
    assert [mark.batch_id for mark in read_ledger(str(path))] == [3, 10, 11]
    monkeypatch.setattr(sql_ledger, "BATCHES_KEPT", 1)
    sink.write(make_batch(12, [(12, "a")]))
    assert [mark.batch_id for mark in read_ledger(str(path))] == [12]
    assert sink.write(make_batch(0, [(0, "a")])) is False, "the ledger row still knows"
    assert sum(table_rows(path).values()) == 7


def test_steps_are_told_in_order_and_not_for_what_is_skipped(path: Path) -> None:
    told: list[Step] = []
    sink = opened(path, steps=told.append)
    sink.write(make_batch(0, TWICE))
    assert told == ["begin", "rows", "mark", "commit", "committed"]
    told.clear()
    sink.write(make_batch(0, TWICE))
    assert told == ["begin"]


def test_rows_that_break_off_leave_nothing(path: Path) -> None:
    def broken() -> object:
        yield (1, "a")
        raise OSError("an executor died")

    sink = opened(path)
    batch = make_batch(0, [])
    object.__setattr__(batch, "rows", broken)
    with pytest.raises(OSError, match="an executor died"):
        sink.write(batch)
    assert read_ledger(str(path)) == []
    assert sink.write(make_batch(0, TWICE))
    assert table_rows(path) == Counter(TWICE)


def test_a_ledger_that_was_emptied_is_not_begun_anew(path: Path) -> None:
    sink = opened(path)
    sink.write(make_batch(0, TWICE))
    execute(path, "DELETE FROM holdfast_ledger")
    with pytest.raises(RefusedError, match="has lost the query since it was opened"):
        sink.write(make_batch(1, TWICE))


def test_a_ledger_of_another_shape_is_refused(path: Path) -> None:
    execute(path, "CREATE TABLE holdfast_ledger (query_id TEXT, sink TEXT)")
    with pytest.raises(MalformedError, match="it has no column last_batch, epoch, rows"):
        opened(path)


def test_mistakes_of_the_caller_are_named(path: Path) -> None:
    with pytest.raises(InternalError, match="was not opened for this query"):
        make_sink(path).write(make_batch(0, TWICE))
    with pytest.raises(InternalError, match="a batch for sink 'other' came to sink 'events'"):
        opened(path).write(make_batch(0, TWICE, sink="other"))
    with pytest.raises(InternalError, match="offsets of batch 0 cannot be kept"):
        opened(path).write(make_batch(0, TWICE, offsets={"0": object()}))


def test_reading_a_ledger_creates_nothing(path: Path) -> None:
    with pytest.raises(UnreachableError, match="there is no such database"):
        read_ledger(str(path))
    assert not path.exists()
    execute(path, "CREATE TABLE other (x)")
    assert read_ledger(str(path)) == []
    assert execute(path, "SELECT name FROM sqlite_master") == [("other",)]


def test_without_create_nothing_is_created(path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such database"):
        opened(path, create=False)
    assert not path.exists()
    execute(path, "CREATE TABLE other (x)")
    with pytest.raises(UsageError, match="there is no table 'events'"):
        opened(path, create=False)
    assert execute(path, "SELECT name FROM sqlite_master") == [("other",)]


def test_a_file_that_is_no_database_is_left_alone(path: Path) -> None:
    path.write_bytes(b"these are notes, and not a database at all" * 100)
    before = path.read_bytes()
    with pytest.raises(MalformedError, match="no sound SQLite database"):
        opened(path)
    assert path.read_bytes() == before
