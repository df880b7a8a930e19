"""Targets of one's own in SQLite, each as able as its guarantee needs."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def changing(path: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE IF NOT EXISTS rows (id, version, text)")
        connection.execute("CREATE TABLE IF NOT EXISTS tokens (token PRIMARY KEY)")
        yield connection
        connection.execute("COMMIT")


def store(rows: list[dict[str, Any]], token: Any, *, path: str) -> None:
    """Rows and token in one transaction; a token that is there is an error."""
    with changing(path) as connection:
        connection.execute("INSERT INTO tokens VALUES (?)", (token.text,))
        put(connection, rows)


def has(token: Any, *, path: str) -> bool:
    with changing(path) as connection:
        select = "SELECT 1 FROM tokens WHERE token = ?"
        return connection.execute(select, (token.text,)).fetchone() is not None


def once(rows: list[dict[str, Any]], token: Any, *, path: str) -> None:
    """A token that is there changes nothing."""
    with changing(path) as connection:
        select = "SELECT 1 FROM tokens WHERE token = ?"
        if connection.execute(select, (token.text,)).fetchone() is None:
            connection.execute("INSERT INTO tokens VALUES (?)", (token.text,))
            put(connection, rows)


def forgetful(rows: list[dict[str, Any]], token: Any, *, path: str) -> None:
    with changing(path) as connection:
        put(connection, rows)


def put(connection: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    values = [(row["id"], row["version"], row["text"]) for row in rows]
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", values)


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    if not path.exists():
        return []
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        try:
            return connection.execute("SELECT id, version, text FROM rows").fetchall()
        except sqlite3.OperationalError:  # killed before there was a table
            return []
