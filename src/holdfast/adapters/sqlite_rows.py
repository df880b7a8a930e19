"""Rows of a SQLite table, read without our own sink: what any other program would see."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from holdfast.errors import UnreachableError


def read_rows(database: Path, table: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """These columns of every row, in no particular order; writes nothing."""
    names = ", ".join(_quoted(name) for name in columns)
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(f"SELECT {names} FROM {_quoted(table)}").fetchall()
    except sqlite3.Error as error:
        raise UnreachableError(f"cannot be read: {error}", subject=str(database)) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
