"""A small sink that is right, and the suite for it; broken_sinks.py changes one thing each."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar

from holdfast.core.running.batch import Batch
from holdfast.errors import FencedError
from holdfast.testing import SinkConformance

TABLES = (
    "CREATE TABLE IF NOT EXISTS target (id, version, text)",
    "CREATE TABLE IF NOT EXISTS ledger (query PRIMARY KEY, epoch, last)",
)
OPENED = """INSERT INTO ledger VALUES (?, ?, NULL)
            ON CONFLICT DO UPDATE SET epoch = excluded.epoch"""


class SmallSink:
    """Rows and mark in one transaction of SQLite; fence and mark are read inside it."""

    name = "small"

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self, query_id: str, epoch: int) -> None:
        with self.writing() as connection:
            for statement in TABLES:
                connection.execute(statement)
            self.check_fence(connection, query_id, epoch)
            connection.execute(OPENED, (query_id, epoch))
            connection.execute("COMMIT")

    def last_batch(self, query_id: str) -> int | None:
        with self.connected() as connection:
            return self.marked(connection, query_id)

    def write(self, batch: Batch) -> bool:
        with self.writing() as connection:
            self.check_fence(connection, batch.query_id, batch.epoch)
            if self.holds(connection, batch):
                return False
            self.insert(connection, batch.rows())
            self.mark(connection, batch)
            connection.execute("COMMIT")
        return True

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, isolation_level=None, timeout=30)) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        with self.connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def check_fence(self, connection: sqlite3.Connection, query_id: str, epoch: int) -> None:
        found = connection.execute("SELECT epoch FROM ledger WHERE query = ?", (query_id,))
        if any(row[0] > epoch for row in found):
            raise FencedError("a higher epoch has taken over")

    def marked(self, connection: sqlite3.Connection, query_id: str) -> int | None:
        found = connection.execute("SELECT last FROM ledger WHERE query = ?", (query_id,))
        return next((row[0] for row in found), None)

    def holds(self, connection: sqlite3.Connection, batch: Batch) -> bool:
        last = self.marked(connection, batch.query_id)
        return last is not None and last >= batch.batch_id

    def insert(self, connection: sqlite3.Connection, rows: Any) -> None:
        connection.executemany("INSERT INTO target VALUES (?, ?, ?)", rows)

    def mark(self, connection: sqlite3.Connection, batch: Batch) -> None:
        values = (batch.batch_id, batch.query_id)
        connection.execute("UPDATE ledger SET last = ? WHERE query = ?", values)


class Small(SinkConformance):
    """The suite; of a broken sink, which test must convict it, and what that must say."""

    meant: ClassVar[str]
    says: ClassVar[str]

    class Sink(SmallSink):
        """The sink that is tested."""

    def open_sink(self, folder: Path) -> SmallSink:
        return self.Sink(folder / "small.db")

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        if not (folder / "small.db").exists():
            return []
        with closing(sqlite3.connect(folder / "small.db")) as connection:
            known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'target'")
            if known.fetchone() is None:
                return []
            return connection.execute("SELECT id, version, text FROM target").fetchall()
