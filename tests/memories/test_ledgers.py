"""The ledgers of our own sinks, as those sinks wrote them: files, SQLite, a function."""

import hashlib
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.memories import sql
from holdfast.adapters.memories.opening import read_memory
from holdfast.adapters.records.opening import open_records
from holdfast.adapters.sinks.own.function import open_sink as open_function
from holdfast.core.evidence.sink_memory import OtherWriter
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.job import UNDECLARED, SinkSpec
from holdfast.core.running.batch import Batch
from holdfast.errors import UsageError
from tests.sinks import files_tables, sql_tables
from tests.sinks.sql_tables import QUERY, make_batch

OTHER = files_tables.OTHER
OFFSETS = {"0": {"start": {"t": {"0": 1}}, "end": {"t": {"0": 5}}}}


def last_of(found: Any) -> int:
    assert isinstance(found.last, Known), found
    value: int = found.last.value
    return value


def test_entries_of_the_files_sink(tmp_path: Path) -> None:
    path = tmp_path / "events"
    files_tables.filled(path, 3)
    found = read_memory(f"files:{path}", files_tables.QUERY)
    assert (found.kind, found.exists, found.skips, last_of(found)) == ("files", True, "checked", 2)
    assert [(mark.batch, mark.rows, mark.end) for mark in found.batches] == [
        (2, 5, '{"0":2}'),
        (1, 5, '{"0":1}'),
        (0, 5, '{"0":0}'),
    ]
    assert found.oldest_known == 0 and found.batches[0].at_ms
    declared = SinkSpec(kind="files", options={"path": str(path)})
    assert read_memory(declared, files_tables.QUERY) == found
    stranger = read_memory(declared, OTHER)
    assert isinstance(stranger.last, Absent)
    assert stranger.others == (OtherWriter(key=files_tables.QUERY, last=2),)


def test_queries_that_share_a_table_of_files(tmp_path: Path) -> None:
    path = tmp_path / "events"
    files_tables.filled(path, 2, shared=True)
    sink = files_tables.opened(path, query=OTHER, shared=True)
    sink.write(files_tables.batch(sink, 0, query=OTHER))
    found = read_memory(f"files:{path}", files_tables.QUERY)
    assert last_of(found) == 1 and found.others == (OtherWriter(key=OTHER, last=0),)


def test_a_batch_of_files_that_is_marked_and_not_shown_yet(tmp_path: Path) -> None:
    path = tmp_path / "events"
    files_tables.filled(path, 1)
    files_tables.killed_at(path, "marked", 1, epoch=2)
    found = read_memory(f"files:{path}", files_tables.QUERY)
    assert last_of(found) == 1 and any("not yet shown" in note for note in found.notes)


def test_an_altered_ledger_of_files_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "events"
    files_tables.filled(path, 3)
    entry = sorted(files_tables.log_of(path).iterdir())[1]
    entry.write_text(entry.read_text().replace('"rows":5', '"rows":6'))
    found = read_memory(f"files:{path}", files_tables.QUERY)
    assert isinstance(found.last, Unreadable) and "altered" in found.last.reason


def test_no_ledger_of_files(tmp_path: Path) -> None:
    found = read_memory(f"files:{tmp_path / 'events'}", QUERY)
    assert isinstance(found.last, Absent) and found.exists is False


def filled_sqlite(path: Path) -> None:
    sink = sql_tables.opened(path)
    for batch_id in range(3):
        sink.write(make_batch(batch_id, [(batch_id, "a")], offsets=OFFSETS))
    sink.open(OTHER, 1)
    sink.write(make_batch(9, [(9, "b"), (10, "b")], query_id=OTHER))


def test_the_ledger_of_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "out.db"
    filled_sqlite(path)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    found = read_memory(f"sqlite:{path}?table=events", QUERY)
    assert (found.kind, found.exists, found.skips, last_of(found)) == ("sql", True, "checked", 2)
    assert found.others == (OtherWriter(key=OTHER, last=9),)
    assert [(mark.batch, mark.rows) for mark in found.batches] == [(2, 1), (1, 1), (0, 1)]
    assert found.batches[0].start == '{"0":{"t":{"0":1}}}'
    assert found.batches[0].end == '{"0":{"t":{"0":5}}}'
    assert found.batches[0].at_ms and found.oldest_known == 0
    options = {"url": f"sqlite:///{path}", "table": "events"}
    assert read_memory(SinkSpec(kind="sql", options=options), QUERY) == found
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [each.name for each in tmp_path.iterdir()] == ["out.db"]


def test_a_table_of_the_same_database_that_the_ledger_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "out.db"
    filled_sqlite(path)
    found = read_memory(f"sqlite:{path}?table=others", QUERY)
    assert isinstance(found.last, Absent) and found.exists is False and found.others == ()


_KILLED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE holdfast_ledger SET last_batch = 77")
connection.execute("CREATE TABLE filler (text)")
for _ in range(200):
    connection.execute("INSERT INTO filler VALUES (?)", ("x" * 4000,))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_writer_left_is_seen_through_and_not_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "out.db"
    filled_sqlite(path)
    subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    journal = tmp_path / "out.db-journal"
    assert journal.stat().st_size > 0, "the killed writer must have left a hot journal"
    before = path.read_bytes(), journal.read_bytes()
    found = read_memory(f"sqlite:{path}?table=events", QUERY)
    assert last_of(found) == 2, "what was not committed does not count"
    assert (path.read_bytes(), journal.read_bytes()) == before


def test_a_writer_at_work_is_not_read_by_halves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "LOCK_WAIT_S", 0.1)
    path = tmp_path / "out.db"
    filled_sqlite(path)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    found = read_memory(f"sqlite:{path}?table=events", QUERY)
    assert isinstance(found.last, Unreadable) and "locked" in found.last.reason
    writer.execute("ROLLBACK")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE holdfast_ledger SET last_batch = 77")
    assert last_of(read_memory(f"sqlite:{path}?table=events", QUERY)) == 2
    writer.execute("ROLLBACK")
    writer.close()


def test_a_path_with_odd_characters(tmp_path: Path) -> None:
    path = tmp_path / "a #1% é.db"
    filled_sqlite(path)
    options = {"url": str(path), "table": "events"}
    assert last_of(read_memory(SinkSpec(kind="sql", options=options), QUERY)) == 2


def test_databases_without_a_ledger_and_without_anything(tmp_path: Path) -> None:
    path = tmp_path / "plain.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE events (id)")
    connection.close()
    found = read_memory(f"sqlite:{path}?table=events", QUERY)
    assert isinstance(found.last, Absent) and found.skips == "never"
    declared = SinkSpec(kind="sql", options={"url": str(path), "table": "events"})
    assert read_memory(declared, QUERY).skips == "checked"
    gone = read_memory(f"sqlite:{tmp_path / 'gone.db'}?table=events", QUERY)
    assert gone.exists is False and not (tmp_path / "gone.db").exists()
    (tmp_path / "text.db").write_text("this is no database " * 100)
    broken = read_memory(f"sqlite:{tmp_path / 'text.db'}?table=events", QUERY)
    assert isinstance(broken.last, Unreadable)


def own_sink(checkpoint: Path, chunks: list[Any]) -> Any:
    sink = open_function({"function": lambda rows, token: chunks.append(rows), "name": "inbox"})
    sink._records = open_records(str(checkpoint))
    sink._options = sink._options.__class__(
        **{f: getattr(sink._options, f) for f in sink._options.__slots__ if f != "chunk_rows"},
        chunk_rows=2,
    )
    sink.open(QUERY, 1)
    return sink


def own_batch(batch_id: int, rows: int = 3) -> Batch:
    return Batch(
        query_id=QUERY,
        sink="inbox",
        batch_id=batch_id,
        epoch=1,
        columns=("id",),
        rows=lambda: iter([(n,) for n in range(rows)]),
        offsets={},
    )


class Dead(BaseException):
    """Ends a write as a kill would."""


def test_the_ledger_beside_a_checkpoint(tmp_path: Path) -> None:
    checkpoint, chunks = tmp_path / "ck", list[Any]()
    sink = own_sink(checkpoint, chunks)
    for batch_id in range(2):
        sink.write(own_batch(batch_id))

    def stop(step: str) -> None:
        if step == "acknowledged":
            raise Dead

    sink.listen(stop)
    with pytest.raises(Dead):
        sink.write(own_batch(2))
    found = read_memory(f"own:{checkpoint}?sink=inbox", QUERY)
    assert (found.kind, found.skips, last_of(found)) == ("own", "checked", 1)
    assert [(mark.batch, mark.rows) for mark in found.batches] == [(1, 3), (0, 3)]
    assert any("batch 2 is begun: 1 chunks (2 rows)" in note for note in found.notes)
    spec = SinkSpec(kind="python", options={"function": "orders:send", "name": "inbox"})
    assert read_memory(spec, QUERY, checkpoint=str(checkpoint)) == found
    assert isinstance(read_memory(spec, OTHER, checkpoint=str(checkpoint)).last, Absent)
    assert isinstance(read_memory(spec, QUERY).last, Unreadable), "no checkpoint was named"
    nameless = SinkSpec(kind="http", options={"url": "https://u:secret-pass@host/a/b"})
    told = read_memory(nameless, QUERY, checkpoint=str(checkpoint))
    assert told.sink.startswith("a/b ") and isinstance(told.last, Absent)


def test_a_sink_without_memory() -> None:
    found = read_memory("none", QUERY)
    assert (found.kind, found.skips) == ("none", "never") and isinstance(found.last, Absent)


def test_a_query_whose_sink_is_not_declared_is_unknown_and_not_without_memory() -> None:
    found = read_memory(SinkSpec(kind=UNDECLARED, options={}), QUERY)
    assert isinstance(found.last, Unreadable) and found.kind != "none"


def test_a_kind_that_nobody_has_installed() -> None:
    found = read_memory(SinkSpec(kind="pigeon", options={}), QUERY)
    assert isinstance(found.last, Unreadable) and found.kind != "none"


@pytest.mark.parametrize("where", ["pigeon:/loft", "/plain/path", "delta:"])
def test_a_text_that_names_no_sink(where: str) -> None:
    with pytest.raises(UsageError):
        read_memory(where, QUERY)


@pytest.mark.parametrize(
    "where", ["sqlite:/x.db", "delta-txn:/gold", "own:/ck", "kafka:nowhere", "postgres:not a url"]
)
def test_a_place_that_says_too_little_is_unreadable(where: str) -> None:
    assert isinstance(read_memory(where, QUERY).last, Unreadable)


def test_declared_options_that_are_wrong_are_unreadable() -> None:
    assert isinstance(read_memory(SinkSpec(kind="delta", options={}), QUERY).last, Unreadable)
