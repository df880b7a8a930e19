"""A SQLite file: transactions, locks, errors, types."""

import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection, NullPool, create_engine
from sqlalchemy.exc import DBAPIError, IntegrityError

from holdfast.adapters.sinks.databases.chunks import chunks
from holdfast.adapters.sinks.databases.on_conflict import on_conflict
from holdfast.adapters.sinks.databases.port import (
    Newer,
    SizedRows,
    TargetColumn,
    TargetTable,
    Writer,
)
from holdfast.adapters.sinks.sql_options import ascii_lower
from holdfast.adapters.sinks.sql_types import ColumnType, Kind
from holdfast.errors import (
    HoldfastError,
    InternalError,
    MalformedError,
    RefusedError,
    UnreachableError,
)

T = TypeVar("T")

BUSY_SLICE_S = 1.0
"""How long SQLite itself waits for a lock before it says so; then we count and ask again."""

BACKOFF_S_MAX = 0.5
"""The longest pause between two attempts; it begins at a hundredth of it."""

_EVERYTHING = frozenset(Kind)
_AS_TEXT = frozenset({Kind.DATE, Kind.TIMESTAMP, Kind.TIME})
# Which kinds a column keeps unchanged. SQLite turns text that looks like a number into one in
# a column of INTEGER, REAL or NUMERIC affinity, and numbers into text in one of TEXT affinity
# (sqlite.org/datatype3.html, section 3). Dates never look like a number, so NUMERIC keeps them.
_HOLDS = {
    "TEXT": frozenset({Kind.TEXT, Kind.JSON, Kind.DECIMAL}) | _AS_TEXT,
    "INTEGER": frozenset({Kind.INTEGER, Kind.BOOLEAN}),
    "REAL": frozenset({Kind.REAL}),
    "NUMERIC": frozenset({Kind.INTEGER, Kind.BOOLEAN}) | _AS_TEXT,
    "BLOB": _EVERYTHING,
}
_READ_ONLY = {"mode": "ro", "uri": "true"}
_DECLARE = {
    Kind.INTEGER: "INTEGER",
    Kind.BOOLEAN: "INTEGER",
    Kind.REAL: "REAL",
    Kind.BINARY: "BLOB",
}


class SqliteDatabase:
    """Implements databases.port.Database."""

    space = None
    retries = 0
    is_server = False
    any_unique = False
    stages = None

    def __init__(self, path: Path, lock_wait_s: float, *, read_only: bool = False) -> None:
        """Nothing is opened yet. Read-only, what a killed writer left is not rolled back either."""
        self.location = f"sqlite:///{path}"
        self._path = path
        self._lock_wait_s = lock_wait_s
        self.engine = create_engine(
            _read_only_url(path) if read_only else URL.create("sqlite", database=str(path)),
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",  # the driver begins nothing by itself
            connect_args={"timeout": min(BUSY_SLICE_S, lock_wait_s)},
        )

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def exists(self) -> bool:
        """Whether there is a file; connecting would create one."""
        return self._path.exists()

    @contextmanager
    def writing(self, writer: Writer | None = None) -> Iterator[Connection]:
        """A transaction that alone may write from its first moment; undone unless committed.

        Waits a bounded time for a lock, then raises UnreachableError.
        """
        with self._connected() as connection:
            # With less than EXTRA a power cut soon after COMMIT can undo it: in WAL mode NORMAL
            # does not sync at all, and FULL leaves the unlinking of the journal unsynced. Spark
            # would count the batch as done, and it would be lost.
            self._patiently(lambda: connection.exec_driver_sql("PRAGMA synchronous = EXTRA"))
            self._patiently(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"))
            yield connection

    def holding(self, connection: Connection, writer: Writer) -> None:
        """A transaction that writes is alone already."""

    def commit(self, connection: Connection) -> None:
        """Make the transaction durable; waits a bounded time for readers to leave.

        A COMMIT that SQLite calls busy has lost nothing and may be said again, so rows are
        asked for only once.
        """
        self._patiently(lambda: connection.exec_driver_sql("COMMIT"))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A consistent view in which nothing can be written; the file must exist."""
        if not self.exists():
            raise UnreachableError("there is no such database", subject=self.location)
        with self._connected() as connection:
            connection.exec_driver_sql("PRAGMA query_only = ON")
            connection.exec_driver_sql("BEGIN")
            # The first statement that reads takes the lock.
            self._patiently(lambda: self.table_names(connection))
            yield connection

    def hurry(self, connection: Connection, seconds: int) -> None:
        """A file has no server that could end a statement."""

    def opening(self, connection: Connection, table: str) -> None:
        """A transaction that writes is alone already."""

    def take_over(self, writer: Writer) -> None:
        """The lock of a dead process is gone with it; that of a paused one is waited for."""

    def can_pass(self, error: HoldfastError) -> bool:
        """Locks have been waited for already."""
        return False

    @contextmanager
    def defining(self, connection: Connection) -> Iterator[Connection]:
        """Tables are changed by transactions like rows."""
        yield connection

    def run(self, connection: Connection, statement: str) -> None:
        """As it is."""
        connection.exec_driver_sql(statement)

    def quote(self, name: str) -> str:
        """A name as it stands in SQL, whatever characters it has."""
        return self.engine.dialect.identifier_preparer.quote_identifier(name)

    def placed(self, name: str) -> str:
        """A file has one schema."""
        return self.quote(name)

    def refuse_name(self, what: str, name: str) -> None:
        """Names have no limit here."""

    def folded(self, name: str) -> str:
        """Letters A to Z without regard to case, others exactly."""
        return ascii_lower(name)

    def declare(self, column: ColumnType | None, *, is_key: bool = False) -> str:
        """The type of a column that keeps this kind; None, not known yet, keeps everything."""
        return "" if column is None else _DECLARE.get(column.kind, "TEXT")

    def table_options(self) -> str:
        """Nothing."""
        return ""

    def table_names(self, connection: Connection) -> Sequence[str]:
        """Tables and views."""
        found = connection.exec_driver_sql(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        )
        return list(found.scalars())

    def table_state(self, connection: Connection, name: str) -> str | None:
        """Not known."""
        return None

    def table(self, connection: Connection, name: str) -> TargetTable:
        """The table of exactly this name, which must be there."""
        view = connection.exec_driver_sql(
            "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name = ?", (name,)
        ).scalar_one()
        quoted = self.quote(name)
        info = connection.exec_driver_sql(f"PRAGMA table_xinfo({quoted})").all()
        key = [row.name for row in sorted(info, key=lambda row: row.pk) if row.pk]
        unique = [frozenset(key)] if key else []
        for index in connection.exec_driver_sql(f"PRAGMA index_list({quoted})").all():
            if index.unique and not index.partial:
                parts = connection.exec_driver_sql(f"PRAGMA index_info({self.quote(index.name)})")
                names = [part.name for part in parts]
                if None not in names:  # None is an expression
                    unique.append(frozenset(names))
        columns = tuple(
            TargetColumn(
                name=row.name,
                declared=row.type,
                holds=_HOLDS[_affinity(row.type)],
                filled=row.dflt_value is not None
                or (key == [row.name] and row.type.upper() == "INTEGER"),
                generated=row.hidden in (2, 3),
            )
            for row in info
        )
        return TargetTable(name=name, is_view=bool(view), columns=columns, unique=tuple(unique))

    def create_like(self, connection: Connection, name: str, model: str) -> None:
        """Trials on SQLite have a file of their own."""
        raise InternalError("a SQLite table is not copied", subject=self.location)

    def reader(self, table: str) -> str:
        """As `audit --read` spells it."""
        return f"sqlite:{self._path}?table={table}"

    def put(
        self, connection: Connection, table: str, columns: Sequence[str], rows: SizedRows
    ) -> None:
        """Put rows in, chunk by chunk."""
        places = ", ".join(["?"] * len(columns))
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"
        for chunk in chunks(rows):
            connection.exec_driver_sql(statement, chunk)

    def create_stage(self, connection: Connection, columns: Mapping[str, TargetColumn]) -> str:
        """Columns without a type keep everything. It lies in a file of its own, not in memory."""
        names = ", ".join([*columns, "own", "dead"])
        connection.exec_driver_sql(f"CREATE TABLE temp.holdfast_stage ({names})")
        return "temp.holdfast_stage"

    def create_winners(self, connection: Connection, select: str) -> str:
        """Made of what this gives."""
        connection.exec_driver_sql(f"CREATE TABLE temp.holdfast_winners AS {select}")
        return "temp.holdfast_winners"

    def order_down(self, expression: str, column: TargetColumn) -> str:
        """NULL is the least here."""
        return f"{expression} DESC"

    def compared(self, expression: str, column: TargetColumn) -> str:
        """Text sorts by its bytes, unless the column was declared with a collation."""
        return expression

    def upsert_tail(
        self, table: str, columns: Sequence[str], key: Sequence[str], newer: Newer | None
    ) -> str:
        """ON CONFLICT; without WHERE the parser could take it for a join's ON."""
        return on_conflict(self.quote, table, columns, key, newer)

    def delete_matching(
        self, connection: Connection, table: str, other: str, pairs: Mapping[str, str], where: str
    ) -> None:
        """By key, which the table has an index for."""
        mine = ", ".join(f"t.{name}" for name in pairs)
        joined = " AND ".join(f"t.{name} = w.{word}" for name, word in pairs.items())
        connection.exec_driver_sql(
            f"DELETE FROM {table} WHERE ({', '.join(pairs)}) IN "
            f"(SELECT {mine} FROM {other} AS w JOIN {table} AS t ON {joined} WHERE {where})"
        )

    def _patiently(self, act: Callable[[], T]) -> T:
        """Try again while another connection has the lock, until the time is over."""
        deadline = time.monotonic() + self._lock_wait_s
        pause = BACKOFF_S_MAX / 100
        while True:
            try:
                return act()
            except DBAPIError as error:
                left = deadline - time.monotonic()
                if not _can_pass(error) or left <= 0:
                    raise
            time.sleep(min(left, pause * random.uniform(0.5, 1.0)))
            pause = min(pause * 2, BACKOFF_S_MAX)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """A connection of its own; what it did not commit is undone when it closes."""
        try:
            with closing(self._patiently(self.engine.connect)) as connection:
                yield connection
        except DBAPIError as error:
            raise self._translated(error) from error

    def _translated(self, error: DBAPIError) -> HoldfastError:
        """Ours, without the statement and its values, which are the user's data."""
        said = str(error.orig)
        if _can_pass(error):
            return UnreachableError(
                f"the database stayed locked by another connection ({said}); "
                f"waited {self._lock_wait_s:g} s, nothing was written",
                subject=self.location,
                next_action="end the other writer or reader, or raise lock_wait_seconds",
            )
        if isinstance(error, IntegrityError):
            return RefusedError(
                f"the database refused a row, so nothing of the batch was written: {said}",
                subject=self.location,
                next_action="change the rows or the constraint",
            )
        if _code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return MalformedError(
                f"this is no sound SQLite database: {said}",
                subject=self.location,
                next_action="copy the file, then look at it with PRAGMA integrity_check",
            )
        return UnreachableError(
            f"the database failed, and nothing was written: {said}",
            subject=self.location,
            next_action="mend the cause and start again; the batch will be written then",
        )


def _read_only_url(path: Path) -> URL:
    """A name that SQLite opens without the right to write; `?` and `#` in a path are escaped."""
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query=_READ_ONLY)


def _code(error: DBAPIError) -> int:
    """The primary result code of SQLite; its extended codes add bits above."""
    return getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _can_pass(error: DBAPIError) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _affinity(declared: str) -> str:
    """The rules of sqlite.org/datatype3.html, section 3.1, in their order."""
    upper = declared.upper()
    if "INT" in upper:
        return "INTEGER"
    if any(word in upper for word in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if not upper or "BLOB" in upper:
        return "BLOB"
    if any(word in upper for word in ("REAL", "FLOA", "DOUB")):
        return "REAL"
    return "NUMERIC"
