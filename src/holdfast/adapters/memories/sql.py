"""The memory of our SQL sink: the ledger in the same database. SQLite is never written to."""

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, make_url
from sqlalchemy.exc import ArgumentError

from holdfast.adapters.memories.offset_texts import offset_texts
from holdfast.adapters.sinks import sql_ledger
from holdfast.adapters.sinks.databases.opening import open_database
from holdfast.adapters.sinks.databases.port import Database
from holdfast.adapters.sinks.databases.sqlite import SqliteDatabase
from holdfast.core.evidence.sink_memory import (
    BATCHES_MAX,
    MarkedBatch,
    SinkMemory,
    Skips,
    missing_memory,
    newest_marks,
    other_writers,
)
from holdfast.core.fact import Absent, Known
from holdfast.core.limits import MIB
from holdfast.errors import TooLargeError, UnreachableError, UsageError

LOCK_WAIT_S: Final = 5.0
"""A look does not wait for a writer for long."""

COPY_BYTES_MAX: Final = 1024 * MIB
"""A SQLite file whose writer was killed is read from a copy, up to this size."""

_WITH = ("", "-journal", "-wal")
_STATEMENT_S = 20
_NEEDS_WRITING = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_PART = r'(?:"((?:[^"]|"")+)"|([^".]+))'
_NAME = re.compile(rf"(?:{_PART}\.)?{_PART}")


def read_sql(
    url: str,
    table: str,
    query_id: str | None,
    *,
    schema: str | None = None,
    password: str | None = None,
    ours: bool = True,
) -> SinkMemory:
    """Read the ledger for one table; raises HoldfastError where the database cannot be asked.

    `ours`: it is known that our sink writes here. Otherwise a database without a ledger says that
    whoever writes keeps no memory in it.
    """
    settings = {} if password is None else {"password": password}
    database = open_database(url, LOCK_WAIT_S, schema, **settings)
    sink, skips = f"{database.location} table {table}", _skips(ours)
    if not database.exists():
        return missing_memory(sink, "sql", skips, "there is no such database yet")
    with _looking(database) as (seen, connection):
        seen.hurry(connection, _STATEMENT_S)
        exists = table in set(seen.table_names(connection))
        found = sql_ledger.remembered(connection, seen, table, query_id, BATCHES_MAX)
    if found is None:
        return missing_memory(
            sink,
            "sql",
            skips,
            f"the table is {'' if exists else 'not '}there, and no ledger of the sql sink is: "
            "whatever else writes to it keeps no memory of batches here",
        )
    return _memory(sink, query_id, exists, found)


def sql_place(kind: str, where: str) -> dict[str, Any]:
    """The arguments of read_sql from `FILE?table=…` or a URL; raises UsageError without a table."""
    if kind == "sqlite":
        path, _, table = where.partition("?table=")
        if not path or not table:
            raise UsageError("the table is missing", next_action="sqlite:FILE?table=NAME")
        return {"url": path, "table": table}
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        # The text is not quoted: it may hold a password.
        raise UsageError("this is no URL of a database", subject=kind) from None
    table_given = url.query.get("table")
    match = _NAME.fullmatch(table_given) if isinstance(table_given, str) else None
    if match is None:
        raise UsageError("the table is missing", next_action=f"{kind}:URL?table=SCHEMA.NAME")
    quoted_space, space, quoted, name = (part or "" for part in match.groups())
    plain = url.difference_update_query(["table"]).render_as_string(hide_password=False)
    return {
        "url": plain,
        "table": quoted.replace('""', '"') or name,
        "schema": quoted_space.replace('""', '"') or space or None,
    }


def _skips(ours: bool) -> Skips:
    return "checked" if ours else "never"


def _memory(
    sink: str, query_id: str | None, exists: bool, found: sql_ledger.Remembered
) -> SinkMemory:
    origin = f"{sink}: {sql_ledger.LEDGER.name}"
    known = query_id is not None and query_id in found.standings
    last = found.standings[query_id] if query_id is not None and known else None
    batches = newest_marks(_mark(mark) for mark in found.marks)
    others = ((query, batch) for query, batch in found.standings.items() if query != query_id)
    notes = () if exists or not found.standings else ("the ledger is there, its table is gone",)
    return SinkMemory(
        sink=sink,
        kind="sql",
        exists=exists,
        key=Known(query_id, origin) if query_id is not None and known else Absent(origin),
        last=Absent(origin) if last is None else Known(last, origin),
        skips="checked",
        table_id=Absent(origin),
        others=other_writers(others),
        batches=batches,
        oldest_known=batches[-1].batch if batches else None,
        notes=notes,
    )


def _mark(mark: sql_ledger.Mark) -> MarkedBatch:
    start, end = offset_texts(mark.offsets)
    return MarkedBatch(
        batch=mark.batch_id,
        rows=mark.rows,
        at_ms=mark.written_at_ms,
        where=f"{sql_ledger.BATCHES.name}, batch {mark.batch_id} by epoch {mark.epoch}",
        start=start,
        end=end,
    )


@contextmanager
def _looking(database: Database) -> Iterator[tuple[Database, Connection]]:
    """A view in which nothing can be written.

    Opened in the ordinary way SQLite rolls back what a killed writer left behind, which must be
    left to the job. Without the right to write it refuses to read such a file, and a copy is read.
    """
    if not isinstance(database, SqliteDatabase):
        with database.reading() as connection:
            yield database, connection
        return
    seen = SqliteDatabase(database.path, LOCK_WAIT_S, read_only=True)
    if _is_readable(seen):
        with seen.reading() as connection:
            yield seen, connection
        return
    with tempfile.TemporaryDirectory(prefix="holdfast-read-") as folder:
        copy = SqliteDatabase(_copied(database.path, Path(folder)), LOCK_WAIT_S)
        with copy.reading() as connection:
            yield copy, connection


def _is_readable(seen: SqliteDatabase) -> bool:
    """Whether it can be read where it lies, which a transaction to be rolled back prevents.

    One that is locked by a writer at work is not copied: the copy would be torn.
    """
    try:
        with seen.reading():
            return True
    except UnreachableError as error:
        cause = getattr(error.__cause__, "orig", None)
        if getattr(cause, "sqlite_errorcode", 0) & 0xFF in _NEEDS_WRITING:
            return False
        raise


def _copied(path: Path, folder: Path) -> Path:
    origins = [Path(f"{path}{suffix}") for suffix in _WITH]
    try:
        size = sum(origin.stat().st_size for origin in origins if origin.exists())
        if size > COPY_BYTES_MAX:
            raise TooLargeError(
                "a writer was killed amid a transaction, and the file is too large to be copied "
                "and looked at without touching it",
                subject=str(path),
                next_action="start the job, which rolls the transaction back, or copy the file",
            )
        for suffix, origin in zip(_WITH, origins, strict=True):
            if origin.exists():
                shutil.copyfile(origin, folder / f"copy.db{suffix}")
    except OSError as error:
        raise UnreachableError(
            f"the database cannot be read: {error.strerror}", subject=str(path)
        ) from error
    return folder / "copy.db"
