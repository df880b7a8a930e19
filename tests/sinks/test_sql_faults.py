"""A database that is locked, full, read-only or gone: a bounded wait and a clear error."""

import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from holdfast.adapters.sinks.sql import SqlSink, Step
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.errors import RefusedError, UnreachableError
from tests.sinks.sql_tables import QUERY, execute, make_batch, opened, table_rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "faults.db"


@pytest.fixture
def other(path: Path) -> Iterator[sqlite3.Connection]:
    """Another connection to the database; begins nothing by itself."""
    with closing(
        sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    ) as connection:
        yield connection


def test_a_lock_that_stays_ends_in_a_clear_error(path: Path, other: sqlite3.Connection) -> None:
    sink = opened(path, lock_wait_seconds=0.3)
    sink.write(make_batch(0, [(1, "a")]))
    other.execute("BEGIN EXCLUSIVE")
    for act in (
        lambda: sink.write(make_batch(1, [(2, "b")])),
        lambda: sink.open(QUERY, 2),
        lambda: sink.last_batch(QUERY),
    ):
        with pytest.raises(UnreachableError) as raised:
            act()
        assert "stayed locked by another connection (database is locked)" in raised.value.message
        assert "waited 0.3 s, nothing was written" in raised.value.message
        assert "lock_wait_seconds" in raised.value.next_action
    other.execute("ROLLBACK")
    assert sink.write(make_batch(1, [(2, "b")]))
    assert table_rows(path) == Counter([(1, "a"), (2, "b")])


def test_a_lock_that_passes_is_waited_for(path: Path, other: sqlite3.Connection) -> None:
    sink = opened(path, lock_wait_seconds=60)
    other.execute("BEGIN IMMEDIATE")
    waiter = threading.Timer(0.3, lambda: other.execute("ROLLBACK"))
    waiter.start()
    assert sink.write(make_batch(0, [(1, "a")]))
    waiter.join()
    assert table_rows(path) == Counter([(1, "a")])


def reading(other: sqlite3.Connection) -> None:
    """Hold the lock of a reader: others may prepare a transaction but not commit it."""
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM sqlite_master").fetchall()


def counted(batch: Any) -> list[int]:
    """How often the rows of a batch have been asked for."""
    calls: list[int] = []
    rows = batch.rows
    object.__setattr__(batch, "rows", lambda: (calls.append(1), rows())[1])
    return calls


def test_a_commit_waits_for_readers_and_asks_for_rows_once(
    path: Path, other: sqlite3.Connection
) -> None:
    opened(path).write(make_batch(0, [(1, "a")]))
    waiters = []

    def when_ready(step: Step) -> None:
        if step == "commit":
            reading(other)
            waiters.append(threading.Timer(1.5, lambda: other.execute("ROLLBACK")))
            waiters[-1].start()

    sink = opened(path, steps=when_ready, lock_wait_seconds=60)
    batch = make_batch(1, [(2, "b")])
    calls = counted(batch)
    assert sink.write(batch)
    assert len(calls) == 1
    waiters[0].join()
    assert table_rows(path) == Counter([(1, "a"), (2, "b")])


def test_a_reader_that_never_leaves_undoes_the_batch(path: Path, other: sqlite3.Connection) -> None:
    sink = opened(path, lock_wait_seconds=0.2, columns="id long, name string")
    reading(other)
    batch = make_batch(0, [(1, "a")])
    calls = counted(batch)
    with pytest.raises(UnreachableError, match="stayed locked by another connection"):
        sink.write(batch)
    assert len(calls) == 1
    other.execute("ROLLBACK")
    assert read_ledger(str(path)) == []
    assert sink.write(batch)
    assert table_rows(path) == Counter([(1, "a")])


def limit_pages(sink: SqlSink, pages: int) -> None:
    def limit(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()

    event.listen(sink._database.engine, "connect", limit)


@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_a_full_disk_leaves_the_last_whole_batch(path: Path, mode: str) -> None:
    extra = {"mode": "upsert", "key": ("id",)} if mode == "upsert" else {}
    sink = opened(path, **extra)
    sink.write(make_batch(0, [(1, "a")]))
    ((pages,),) = execute(path, "PRAGMA page_count")
    limit_pages(sink, pages + 20)
    large = [(n, "x" * 500) for n in range(2, 5_000)]
    with pytest.raises(UnreachableError, match="nothing was written: database or disk is full"):
        sink.write(make_batch(1, large))
    assert table_rows(path) == Counter([(1, "a")])
    assert sink.last_batch(QUERY) == 0
    assert sink.write(make_batch(1, [(2, "b")])), "a batch that fits still goes in"
    assert opened(path, 2, **extra).write(make_batch(2, large[1:], epoch=2)), "space again"
    assert table_rows(path) == Counter([(1, "a"), (2, "b"), *large[1:]])


def test_a_constraint_of_the_table_refuses_the_whole_batch(path: Path) -> None:
    execute(path, "CREATE TABLE events (id INTEGER NOT NULL CHECK (id > 0), name TEXT)")
    sink = opened(path)
    with pytest.raises(RefusedError, match="CHECK constraint failed"):
        sink.write(make_batch(0, [(1, "secret"), (-1, "secret")]))
    with pytest.raises(RefusedError, match=r"NOT NULL constraint failed: events\.id") as raised:
        sink.write(make_batch(0, [(1, "secret"), (None, "secret")]))
    assert "secret" not in raised.value.message
    assert sum(table_rows(path).values()) == 0


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="unable to open database file"):
        opened(tmp_path / "missing" / "x.db")


def test_a_database_in_wal_mode_commits_durably(path: Path) -> None:
    execute(path, "PRAGMA journal_mode = WAL")
    found = []
    sink = opened(path, columns="id long, name string")
    event.listen(
        sink._database.engine,
        "before_cursor_execute",
        lambda connection, cursor, statement, *rest: found.extend(
            cursor.execute("PRAGMA synchronous").fetchone() if statement == "COMMIT" else ()
        ),
    )
    assert sink.write(make_batch(0, [(1, "a")]))
    assert found == [3], "EXTRA"
    assert table_rows(path) == Counter([(1, "a")])
