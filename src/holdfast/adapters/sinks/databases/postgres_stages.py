"""Tables of PostgreSQL in which executors put the rows of a batch.

Every attempt of every task creates an unlogged table of its own, in the transaction in which it
fills it, so an attempt that fails leaves nothing. Names hold writer, epoch, batch and a random
token, so that no two attempts share a table, and a later start knows which ones nobody needs.
"""

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Any, Protocol

from psycopg.conninfo import make_conninfo
from sqlalchemy import Connection, Engine, text

from holdfast.adapters.sinks.databases import postgres_merge
from holdfast.adapters.sinks.databases.port import Check, Newer, Staged, TargetTable, Writer
from holdfast.adapters.sinks.databases.postgres_stage_names import (
    TOKEN_BYTES,
    epoch_of,
    prefix_of,
    tag,
)
from holdfast.adapters.sinks.sql_types import ColumnType
from holdfast.core.running.batch import OnExecutors
from holdfast.errors import RefusedError, UnreachableError, UsageError

PARTS_MAX = 16
"""Connections of executors at a time: a server has a hundred, unless told, and others need some."""

DROPPED_MAX = 1_000
"""Tables removed at a time; what is left goes the next time."""

DROPPED_AT_ONCE = 50
"""Tables in one statement: each takes locks, of which a server has some thousand."""

NAME_BYTES_MAX = 63
DIGEST_KIND = "pg1"
TASK = "holdfast.adapters.sinks.databases.postgres_stage_task"
STREAM = "holdfast.adapters.sinks.databases.postgres_stream"
TEMPORARY = "pg_temp.holdfast_stage"
RESULT = "stage string, rows long, size long, digest string, refused string"

_WIDER = {
    "smallint": ("smallint", "integer", "bigint"),
    "integer": ("integer", "bigint"),
    "real": ("real", "double precision"),
    "text": ("text", "character varying"),
}
"""Types that keep every value of a type as it is and hash it alike, where not the type alone does:
the digest of what was staged must be that of what is stored."""

_TYPES = {
    **dict.fromkeys(("byte", "tinyint", "short", "smallint"), "smallint"),
    **dict.fromkeys(("int", "integer"), "integer"),
    **dict.fromkeys(("long", "bigint"), "bigint"),
    **dict.fromkeys(("float", "real"), "real"),
    "double": "double precision",
    "boolean": "boolean",
    "string": "text",
    "binary": "bytea",
    "date": "date",
    "timestamp": "timestamp with time zone",
    "timestamp_ltz": "timestamp with time zone",
    "timestamp_ntz": "timestamp without time zone",
}
_NUMERIC = re.compile(r"numeric\((\d+),(\d+)\)")
# Of every kind of value that is staged one; where their hashes change, so does this.
_PROBE = (
    "SELECT hash_record_extended(ROW(1::bigint, 'a'::text, 1.5::float8, 2.5::numeric, true,"
    " '\\x01'::bytea, '2000-01-02'::date, '2000-01-02 03:04:05+00'::timestamptz), 0)"
)


class Server(Protocol):
    """What is needed of the database itself."""

    location: str
    space: str | None
    engine: Engine

    def connected(self) -> AbstractContextManager[Connection]:
        """A connection of its own."""
        ...

    def placed(self, name: str) -> str:
        """A name of a table with its schema, as it stands in SQL."""
        ...

    def quote(self, name: str) -> str:
        """A name as it stands in SQL."""
        ...

    def run(self, connection: Connection, statement: str) -> None:
        """Execute a statement that has no values."""
        ...


class PostgresStages:
    """Implements databases.port.Stages."""

    modules = (TASK,)

    def __init__(self, server: Server) -> None:
        """Nothing is opened yet."""
        self._server = server
        self._kind: str | None = None

    def can_hold(
        self,
        connection: Connection,
        types: Mapping[str, ColumnType | None],
        table: TargetTable | None,
    ) -> bool:
        """Plain values, into columns of their own type or a wider one."""
        staged = {name: stage_type(kind) for name, kind in types.items()}
        if _optional(TASK) is None or not staged or not all(staged.values()):
            return False
        if self._digest_kind(connection) is None:
            return False
        columns = {} if table is None else {column.name: column for column in table.columns}
        return all(
            name not in columns or _keeps(columns[name].declared, str(kind))
            for name, kind in staged.items()
        )

    def put(
        self,
        writer: Writer,
        batch_id: int,
        types: Mapping[str, ColumnType | None],
        required: Iterable[str],
        on_executors: OnExecutors,
    ) -> Staged:
        """One table for each part of the rows, by ADBC: Arrow becomes a binary COPY in C."""
        prefix = f"{prefix_of(writer)}{writer.epoch:x}_{batch_id:x}_"
        if len(prefix) + 2 * TOKEN_BYTES > NAME_BYTES_MAX:  # pragma: no cover
            raise AssertionError("epoch and batch have more digits than a name has room for")
        words = tuple(f"c{i}" for i in range(len(types)))
        by_name = dict(zip(types, words, strict=True))
        password = self._server.engine.url.password
        task = _optional(TASK).StageTask(
            server=self._connecting(writer),
            secrets=() if password is None else (str(password),),
            schema=str(self._server.space),
            prefix=prefix,
            names=tuple(types),
            words=words,
            declared=tuple(str(stage_type(kind)) for kind in types.values()),
            required=frozenset(required),
            counted=f"count(*), coalesce(sum({_hashed(by_name)}), 0)::text",
            location=self._server.location,
        )
        rows, size, total = 0, 0, 0
        tables: list[str] = []
        for stage, count, weight, digest, refused in on_executors.each(task, RESULT, PARTS_MAX):
            if refused is not None:
                raise RefusedError(
                    f"batch {batch_id}, {refused}; nothing of the batch was written",
                    subject=writer.query_id,
                    next_action="change the value in the transform, or the type of the column",
                )
            tables.append(self._server.placed(stage))
            rows, size, total = rows + count, size + weight, total + int(digest)
        return Staged(
            tables=tuple(tables),
            columns=words,
            rows=rows,
            size=size,
            digest=f"{self._kind}{_shown(total)}",
        )

    def can_stream(
        self,
        connection: Connection,
        types: Mapping[str, ColumnType | None],
        table: TargetTable,
        constant: tuple[str, int] | None,
    ) -> bool:
        """Where our hashes are those of the server, and so is the encoding of text."""
        stream = _optional(STREAM)
        if stream is None or not self.can_hold(connection, types, table):
            return False
        declared = {column.name: column.declared for column in table.columns}
        return bool(
            self._kind == f"{DIGEST_KIND}:{stream.probe() % 2**32:08x}:"
            and stream.can_take(_driver(connection), declared, list(types), constant)
        )

    def stream(
        self,
        connection: Connection,
        table: TargetTable | None,
        types: Mapping[str, ColumnType | None],
        batches: Iterator[Any],
        check: Check,
        constant: tuple[str, int] | None,
    ) -> Staged:
        """A binary COPY of Arrow batches, hashed on their way as the server would do it."""
        words = tuple(f"c{i}" for i in range(len(types)))
        if table is None:
            place, declared = TEMPORARY, [str(stage_type(kind)) for kind in types.values()]
            names = list(words)
            columns = ", ".join(map(" ".join, zip(words, declared, strict=True)))
            self._server.run(
                connection, f"CREATE TEMPORARY TABLE holdfast_stage ({columns}) ON COMMIT DROP"
            )
        else:
            place, names = self._server.placed(table.name), list(types)
            known = {column.name: column.declared for column in table.columns}
            names += [] if constant is None else [constant[0]]
            declared = [known[name] for name in names]
        found = _optional(STREAM).copy(
            _driver(connection),
            f"COPY {place} ({', '.join(map(self._server.quote, names))}) FROM STDIN",
            list(types),
            declared,
            _seed(types),
            batches,
            check,
            None if constant is None or table is None else constant[1],
        )
        return Staged(
            tables=(TEMPORARY,) if found.rows else (),
            columns=words,
            rows=found.rows,
            size=found.size,
            digest=f"{self._kind}{_shown(found.digest)}",
        )

    def count(self, connection: Connection, staged: Staged) -> int:
        """Rows that are there now: a server that crashed has emptied the tables."""
        counted = " + ".join(f"(SELECT count(*) FROM {table})" for table in staged.tables)
        return int(connection.exec_driver_sql(_plain(f"SELECT {counted or '0'}")).scalar_one())

    def append(
        self, connection: Connection, table: str, columns: Mapping[str, str], staged: Staged
    ) -> None:
        """One statement."""
        names = ", ".join(map(self._server.quote, columns))
        chosen = ", ".join(columns.values())
        source = " UNION ALL ".join(f"SELECT {chosen} FROM {stage}" for stage in staged.tables)
        self._server.run(connection, f"INSERT INTO {self._server.placed(table)} ({names}) {source}")

    def merge(
        self,
        connection: Connection,
        table: str,
        source: str,
        words: Mapping[str, str],
        key: Sequence[str],
        newer: Newer | None,
    ) -> bool:
        """MERGE, where nothing can tell it from ON CONFLICT."""
        driver, place = _driver(connection), self._server.placed(table)
        named = f"({source}) AS s"
        return (
            postgres_merge.can_merge(driver, str(self._server.space), table)
            and not postgres_merge.repeats(driver, named, [words[name] for name in key])
            and postgres_merge.merge(driver, self._server.quote, place, named, words, key, newer)
        )

    def drop(self, writer: Writer, *, own: bool) -> None:
        """One statement for some tables each; a table that somebody reads is not waited for."""
        try:
            with self._server.connected() as connection:
                self._server.run(connection, "SET lock_timeout = '1s'")
                found = connection.execute(
                    text(
                        "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = :space"
                        " AND tableowner = current_user AND starts_with(tablename, :prefix)"
                        " ORDER BY tablename LIMIT :most"
                    ),
                    {"space": self._server.space, "prefix": prefix_of(writer), "most": DROPPED_MAX},
                ).scalars()
                last = writer.epoch if own else writer.epoch - 1
                dead = [self._server.placed(name) for name in found if epoch_of(name) <= last]
                for start in range(0, len(dead), DROPPED_AT_ONCE):
                    some = ", ".join(dead[start : start + DROPPED_AT_ONCE])
                    self._server.run(connection, f"DROP TABLE IF EXISTS {some}")
        except (UnreachableError, RefusedError, UsageError):
            # They lie there and disturb nobody; the next start looks again.
            return

    def digest(
        self, connection: Connection, table: str, columns: Sequence[str], where: str
    ) -> str | None:
        """Computed by the server, of what it really holds."""
        kind = self._digest_kind(connection)
        if kind is None:
            return None
        hashed = _hashed({name: self._server.quote(name) for name in columns})
        found = connection.exec_driver_sql(
            _plain(f"SELECT coalesce(sum({hashed}), 0)::text FROM {table} WHERE {where}")
        ).scalar_one()
        return f"{kind}{_shown(int(found))}"

    def _digest_kind(self, connection: Connection) -> str | None:
        """How the server hashes: digests compare where this is the same. None before 14."""
        if self._kind is None:
            known = "SELECT to_regprocedure('hash_record_extended(record, bigint)') IS NOT NULL"
            if not connection.exec_driver_sql(known).scalar_one():
                return None
            probe = int(connection.exec_driver_sql(_PROBE).scalar_one()) % 2**32
            self._kind = f"{DIGEST_KIND}:{probe:08x}:"
        return self._kind

    def _connecting(self, writer: Writer) -> str:
        """How libpq connects, with the password.

        It goes to the tasks inside their function: no plan, log or page of Spark shows it.
        """
        engine = self._server.engine
        given = engine.dialect.create_connect_args(engine.url)[1]
        settings = {
            # Not what SQLAlchemy adds for its own driver.
            **{name: value for name, value in given.items() if isinstance(value, str | int)},
            "application_name": f"{tag(writer)}{writer.epoch}",
            "client_encoding": "UTF8",
            "connect_timeout": 10,
            "keepalives_idle": 30,
        }
        return make_conninfo(**{name: str(value) for name, value in settings.items()})


def _optional(module: str) -> Any:
    """A module of ours; None where what it needs is not installed: ADBC, Arrow."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


def stage_type(column: ColumnType | None) -> str | None:
    """The type in which a column is staged, None for one that executors do not stage."""
    if column is None:
        return None
    if column.name == "decimal" and column.arguments:
        return f"numeric{column.arguments.replace(' ', '')}"
    return None if column.arguments else _TYPES.get(column.name)


def _keeps(declared: str, staged: str) -> bool:
    if declared in _WIDER.get(staged, (staged,)):
        return True
    there, came = _NUMERIC.fullmatch(declared), _NUMERIC.fullmatch(staged)
    if there is None or came is None:
        return False
    digits, scale = int(there[1]), int(there[2])
    return scale >= int(came[2]) and digits - scale >= int(came[1]) - int(came[2])


def _hashed(columns: Mapping[str, str]) -> str:
    """The hash of a row by the server: its columns in the order of their names, seeded by these."""
    chosen = ", ".join(columns[name] for name in sorted(columns))
    return f"hash_record_extended(ROW({chosen}), '{_seed(columns)}'::bigint)"


def _seed(columns: Iterable[str]) -> int:
    names = "".join(f"{len(name.encode())}:{name}" for name in sorted(columns))
    return int.from_bytes(blake2b(names.encode(), digest_size=8).digest(), "big", signed=True)


def _plain(statement: str) -> str:
    """Per cent signs of names are no places for values."""
    return statement.replace("%", "%%")


def _shown(total: int) -> str:
    return f"{total % 2**64:016x}"


def result(
    stage: str | None, rows: int, size: int, digest: str, refused: str | None
) -> dict[str, list[Any]]:
    """What one task says, as columns of RESULT."""
    return {
        "stage": [stage],
        "rows": [rows],
        "size": [size],
        "digest": [digest],
        "refused": [refused],
    }
