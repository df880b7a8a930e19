"""MariaDB and MySQL with InnoDB: transactions, locks, inserts, what a table is made of."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from typing import Any

import pymysql
from sqlalchemy import URL, Connection, NullPool, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import quoted_name

from holdfast.adapters.sinks.databases import mysql_errors
from holdfast.adapters.sinks.databases.chunks import chunks
from holdfast.adapters.sinks.databases.mysql_types import declared_type, encoders_of
from holdfast.adapters.sinks.databases.port import (
    Newer,
    SizedRows,
    TargetColumn,
    TargetTable,
    Writer,
)
from holdfast.adapters.sinks.sql_types import ColumnType, Kind
from holdfast.core.secret_text import SecretText
from holdfast.errors import HoldfastError, UnreachableError, UsageError

CONNECT_S = 10
RETRIES = 5
"""With pauses that double from a fifth of a second: a server has six seconds to come up."""
NAME_CHARACTERS_MAX = 64
_DRIVER = "mysql+pymysql"
_EXACT = ("_nopad_bin", "0900_bin")
"""Collations in which texts are equal only where every character is, spaces at the end too."""
_SETTINGS = (
    # Strict: what does not fit is an error, and not a cut or rounded value.
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
    "SET SESSION time_zone = '+00:00'",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
)
_COLUMNS = text(
    "SELECT column_name AS name, column_type AS words, character_set_name AS charset,"
    " collation_name AS collation FROM information_schema.columns"
    " WHERE table_schema = DATABASE() AND table_name = :name ORDER BY ordinal_position"
)
_UNIQUE = text(
    "SELECT index_name AS owner, column_name AS name, sub_part AS part"
    " FROM information_schema.statistics"
    " WHERE table_schema = DATABASE() AND table_name = :name AND non_unique = 0"
)
_KIND = text(
    "SELECT table_type AS type, engine AS engine FROM information_schema.tables"
    " WHERE table_schema = DATABASE() AND table_name = :name"
)
_NAMES = text(
    "SELECT table_name FROM information_schema.tables"
    " WHERE table_schema = DATABASE() ORDER BY table_name"
)


class MysqlDatabase:
    """Implements databases.port.Database."""

    space = None
    retries = RETRIES
    is_server = True
    any_unique = True
    stages = None

    def __init__(self, url: URL, lock_wait_s: float) -> None:
        """Nothing is opened yet."""
        self.location = url.set(query={}).render_as_string(hide_password=True)
        self._secrets = (str(url.password),) if url.password else ()
        self._lock_wait_s = lock_wait_s
        self.engine = create_engine(
            url,
            poolclass=NullPool,
            pool_reset_on_return=None,  # closing undoes what was not committed
            isolation_level="AUTOCOMMIT",  # the driver begins nothing by itself
            connect_args={"connect_timeout": CONNECT_S, "charset": "utf8mb4"},
        )

    def exists(self) -> bool:
        """A database of a server is there or cannot be reached."""
        return True

    @contextmanager
    def writing(self, writer: Writer | None = None) -> Iterator[Connection]:
        """READ COMMITTED: whoever waits for the ledger row sees it as the one before left it."""
        with self._connected() as connection:
            self._set_up(connection)
            self.run(connection, "START TRANSACTION")
            yield connection

    def holding(self, connection: Connection, writer: Writer) -> None:
        """A named lock says which connection writes; it goes with the connection."""
        self._lock(connection, _tag(writer))

    def commit(self, connection: Connection) -> None:
        """COMMIT."""
        self.run(connection, "COMMIT")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One snapshot."""
        with self._connected() as connection:
            self._set_up(connection)
            self.run(connection, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            self.run(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
            yield connection

    def hurry(self, connection: Connection, seconds: int) -> None:
        """For the rest of the connection."""
        if getattr(self.engine.dialect, "is_mariadb", False):
            self.run(connection, f"SET SESSION max_statement_time = {seconds}")
        else:
            self.run(connection, f"SET SESSION max_execution_time = {seconds * 1000}")

    def opening(self, connection: Connection, table: str) -> None:
        """Two that create the same table at once would hinder each other."""
        self._lock(connection, _lock_name(f"{self.engine.url.database}\n{table}"))

    def take_over(self, writer: Writer) -> None:
        """A paused driver keeps its transaction, and the ledger row in it, for ever."""
        with self._connected() as connection:
            held = text("SELECT IS_USED_LOCK(:name)")
            found = connection.execute(held, {"name": _tag(writer)}).scalar_one()
            if found is not None:
                self.run(connection, f"KILL {int(found)}")

    def can_pass(self, error: HoldfastError) -> bool:
        """Deadlocks, locks, and whatever a server says that comes or goes."""
        cause = error.__cause__
        return isinstance(cause, pymysql.Error) and mysql_errors.can_pass(cause)

    @contextmanager
    def defining(self, connection: Connection) -> Iterator[Connection]:
        """Another connection: a statement that changes a table commits what goes on in its own."""
        with self._connected() as other:
            self._set_up(other)
            yield other

    def run(self, connection: Connection, statement: str) -> None:
        """As it is: per cent signs of names are no places for values."""
        with closing(_driver(connection).cursor()) as cursor:
            cursor.execute(statement)

    def quote(self, name: str) -> str:
        """In backticks, whatever sql_mode says."""
        return "`" + name.replace("`", "``") + "`"

    def placed(self, name: str) -> str:
        """The URL names the database."""
        return self.quote(name)

    def refuse_name(self, what: str, name: str) -> None:
        """Names that the server does not take."""
        wrong = None
        if len(name) > NAME_CHARACTERS_MAX:
            wrong = f"has more than {NAME_CHARACTERS_MAX} characters"
        elif name.endswith(" ") or any(ord(character) > 0xFFFF for character in name):
            wrong = "ends with a space, or has characters that names may not have"
        if wrong is not None:
            raise UsageError(
                f"sql sink: {what} {name!r} {wrong}",
                subject=self.location,
                next_action="use another name",
            )

    def folded(self, name: str) -> str:
        """Names of columns are compared without regard to case."""
        return name.lower()

    def declare(self, column: ColumnType | None, *, is_key: bool = False) -> str:
        """The type of a column that keeps these values."""
        return declared_type(column, self._collation(), is_key=is_key)

    def table_options(self) -> str:
        """InnoDB has transactions."""
        return f" ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE {self._collation()}"

    def table_names(self, connection: Connection) -> Sequence[str]:
        """Tables and views of the database."""
        return list(connection.execute(_NAMES).scalars())

    def table_state(self, connection: Connection, name: str) -> str | None:
        """Not known."""
        return None

    def table(self, connection: Connection, name: str) -> TargetTable:
        """The table of exactly this name, which must be there."""
        where = {"name": name}
        kind = connection.execute(_KIND, where).one()
        more = connection.execute(_COLUMNS, where).all()
        unique: dict[str, set[str]] = {}
        for row in connection.execute(_UNIQUE, where):
            part = f"{row.name}({row.part})" if row.part is not None else str(row.name)
            unique.setdefault(row.owner, set()).add(part)
        is_view = kind.type not in ("BASE TABLE", "SYSTEM VERSIONED")
        found = inspect(connection).get_columns(quoted_name(name, quote=True))
        return TargetTable(
            name=name,
            is_view=is_view,
            # By their order: reflection leaves the backticks of a name doubled.
            columns=tuple(_column(*pair) for pair in zip(found, more, strict=True)),
            unique=tuple(map(frozenset, unique.values())),
            unfit=""
            if is_view or kind.engine == "InnoDB"
            else f"is of engine {kind.engine}, which has no transactions",
        )

    def create_like(self, connection: Connection, name: str, model: str) -> None:
        """LIKE copies all but foreign keys and triggers."""
        self.run(connection, f"CREATE TABLE {self.placed(name)} LIKE {self.placed(model)}")

    def reader(self, table: str) -> str:
        """As `audit --read` spells it."""
        where = self.engine.url.update_query_dict({"table": table})
        return SecretText(
            f"mysql:{where.render_as_string(hide_password=False)}",
            f"mysql:{where.render_as_string(hide_password=True)}",
        )

    def put(
        self, connection: Connection, table: str, columns: Sequence[str], rows: SizedRows
    ) -> None:
        """Many rows a statement, made by the driver."""
        places = ", ".join(["%s"] * len(columns))
        names = ", ".join(columns).replace("%", "%%")
        statement = f"INSERT INTO {table.replace('%', '%%')} ({names}) VALUES ({places})"
        for chunk in chunks(rows):
            with closing(_driver(connection).cursor()) as cursor:
                cursor.executemany(statement, chunk)

    def create_stage(self, connection: Connection, columns: Mapping[str, TargetColumn]) -> str:
        """Of the types of the target; gone with the connection, and no end of the transaction."""
        parts = [f"{word} {column.declared} NULL" for word, column in columns.items()]
        parts += ["own varbinary(16)", "dead tinyint"]
        self.run(
            connection, f"CREATE TEMPORARY TABLE holdfast_stage ({', '.join(parts)}) ENGINE=InnoDB"
        )
        return "holdfast_stage"

    def create_winners(self, connection: Connection, select: str) -> str:
        """Gone with the connection."""
        self.run(connection, f"CREATE TEMPORARY TABLE holdfast_winners ENGINE=InnoDB AS {select}")
        return "holdfast_winners"

    def order_down(self, expression: str, column: TargetColumn) -> str:
        """NULL is the least here."""
        return f"{self.compared(expression, column)} DESC"

    def compared(self, expression: str, column: TargetColumn) -> str:
        """Text by its bytes, and not by the order of a language."""
        return f"CAST({expression} AS BINARY)" if column.sort_text else expression

    def upsert_tail(
        self, table: str, columns: Sequence[str], key: Sequence[str], newer: Newer | None
    ) -> str:
        """ON DUPLICATE KEY; assignments see those to their left, so the version comes last."""
        mine = self.quote(table)
        others = [self.quote(name) for name in columns if name not in key]
        head = "ON DUPLICATE KEY UPDATE "
        if not others:
            first = f"{mine}.{self.quote(key[0])}"
            return f"{head}{first} = {first}"
        if newer is None:
            return head + ", ".join(f"{mine}.{c} = VALUES({c})" for c in others)
        condition = newer(lambda c: f"{mine}.{c}", lambda c: f"VALUES({c})")
        return head + ", ".join(
            f"{mine}.{c} = IF({condition}, VALUES({c}), {mine}.{c})" for c in others
        )

    def delete_matching(
        self, connection: Connection, table: str, other: str, pairs: Mapping[str, str], where: str
    ) -> None:
        """DELETE of a join."""
        joined = " AND ".join(f"t.{mine} = w.{theirs}" for mine, theirs in pairs.items())
        self.run(
            connection, f"DELETE t FROM {table} AS t JOIN {other} AS w ON {joined} WHERE {where}"
        )

    def _set_up(self, connection: Connection) -> None:
        wait_s = max(1, round(self._lock_wait_s))
        for setting in (*_SETTINGS, f"SET SESSION innodb_lock_wait_timeout = {wait_s}"):
            self.run(connection, setting)

    def _lock(self, connection: Connection, name: str) -> None:
        got = connection.execute(
            text("SELECT GET_LOCK(:name, :wait)"),
            {"name": name, "wait": max(1, round(self._lock_wait_s))},
        ).scalar_one()
        if got != 1:
            raise UnreachableError(
                f"another writer of the sink is at work; waited {self._lock_wait_s:g} s, "
                "nothing was written",
                subject=self.location,
                next_action="end the other writer, or raise lock_wait_seconds",
            )

    def _collation(self) -> str:
        mariadb = bool(getattr(self.engine.dialect, "is_mariadb", False))
        return "utf8mb4_nopad_bin" if mariadb else "utf8mb4_0900_bin"

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """A connection of its own; what it did not commit is undone when it closes."""
        try:
            with closing(self.engine.connect()) as connection:
                yield connection
        except DBAPIError as error:
            if not isinstance(error.orig, pymysql.Error):
                raise
            raise self._translated(error.orig) from error.orig
        except pymysql.Error as error:
            raise self._translated(error) from error

    def _translated(self, error: pymysql.Error) -> HoldfastError:
        return mysql_errors.translated(error, self.location, self._secrets, self._lock_wait_s)


def open_server(
    url: URL, lock_wait_s: float, schema: str | None, *, password: str | None = None
) -> MysqlDatabase:
    """The database behind a URL; raises UsageError where something of it cannot be right."""
    if schema is not None:
        raise UsageError(
            "sql sink: schema is for PostgreSQL",
            subject="sink",
            next_action="remove schema: the database in the URL is meant",
        )
    if not url.database:
        raise UsageError(
            "sql sink: url names no database",
            subject="sink",
            next_action="use mysql://USER@HOST:PORT/DATABASE",
        )
    url = url.set(drivername=_DRIVER)
    return MysqlDatabase(
        url if password is None else url.set(password=str.__str__(password)), lock_wait_s
    )


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


def _tag(writer: Writer) -> str:
    """The named lock of a query and sink."""
    return _lock_name(f"{writer.query_id}\n{writer.sink}")


def _lock_name(what: str) -> str:
    """Names of locks have 64 characters, and are those of the whole server."""
    return f"holdfast.{blake2b(what.encode(), digest_size=20).hexdigest()}"


def _column(column: Any, more: Any) -> TargetColumn:
    encoders = encoders_of(column["type"], more.charset, more.words)
    collated = f" COLLATE {more.collation}" if more.collation else ""
    alike = ""
    if more.collation and not more.collation.endswith(_EXACT):
        alike = f"takes some different texts for equal (collation {more.collation})"
    return TargetColumn(
        name=more.name,
        declared=f"{more.words}{collated}",
        holds=frozenset(encoders),
        filled=column["default"] is not None or bool(column.get("autoincrement") is True),
        generated=column.get("computed") is not None,
        nullable=column["nullable"],
        encoders=encoders,
        sortable=frozenset(encoders) - {Kind.JSON},
        zoned=True if str(more.words).startswith("timestamp") else None,
        sort_text=more.collation is not None,
        comes_back=not str(more.words).startswith(("json", "time")),
        alike=alike,
    )
