"""PostgreSQL: transactions, locks, COPY, what a table is made of."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from typing import Any

import psycopg
from sqlalchemy import URL, Connection, NullPool, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import quoted_name

from holdfast.adapters.sinks.databases import postgres_errors
from holdfast.adapters.sinks.databases.on_conflict import on_conflict
from holdfast.adapters.sinks.databases.port import (
    Newer,
    SizedRows,
    TargetColumn,
    TargetTable,
    Writer,
)
from holdfast.adapters.sinks.databases.postgres_stage_names import tag
from holdfast.adapters.sinks.databases.postgres_stages import PostgresStages
from holdfast.adapters.sinks.databases.postgres_types import declared_type, encoders_of, zoned
from holdfast.adapters.sinks.sql_types import ColumnType, Kind
from holdfast.core.secret_text import SecretText
from holdfast.errors import HoldfastError, UnreachableError, UsageError

CONNECT_S = 10
RETRIES = 5
"""With pauses that double from a fifth of a second: a server has six seconds to come up."""
NAME_BYTES_MAX = 63
FIRST_OWN_OID = 16_384
"""What comes with the server has lower numbers."""
"""PostgreSQL cuts longer names off, and says so only in a notice."""
_DRIVER = "postgresql+psycopg"
_KEEPALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
# A driver whose machine is gone must not hold the ledger for the two hours of TCP's own defaults.
_SETTINGS = {
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "bytea_output": "hex",
    "extra_float_digits": "3",
}
_COLUMNS = text(
    "SELECT a.attname AS name, pg_catalog.format_type(a.atttypid, a.atttypmod) AS declared,"
    " coalesce(k.collisdeterministic, true) AS exact"
    " FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid"
    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " LEFT JOIN pg_catalog.pg_collation k ON k.oid = a.attcollation"
    " WHERE n.nspname = :space AND c.relname = :name AND a.attnum > 0 AND NOT a.attisdropped"
)
_UNIQUE = text(
    "SELECT i.indexrelid AS owner, a.attname AS name"
    " FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid"
    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place)"
    " ON k.place <= i.indnkeyatts"
    " JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number"
    " WHERE n.nspname = :space AND c.relname = :name AND i.indisunique AND i.indisvalid"
    " AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL"
)
_KIND = text(
    "SELECT c.relkind, c.relpersistence FROM pg_catalog.pg_class c"
    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = :space AND c.relname = :name"
)
# Every change of a table, a column or an index writes its row anew. A type of somebody's own can
# change without them, so of a table that has one nothing is said.
_STATE = text(
    "SELECT concat_ws(' ', c.oid, c.xmin, columns.seen, indexes.seen)"
    " FROM pg_catalog.pg_class c"
    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " CROSS JOIN LATERAL (SELECT max(a.atttypid::bigint) AS newest,"
    " string_agg(a.xmin::text, ',' ORDER BY a.attnum) AS seen FROM pg_catalog.pg_attribute a"
    " WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns"
    " CROSS JOIN LATERAL (SELECT string_agg(i.indexrelid || ':' || i.xmin, ','"
    " ORDER BY i.indexrelid) AS seen FROM pg_catalog.pg_index i"
    " WHERE i.indrelid = c.oid) AS indexes"
    " WHERE n.nspname = :space AND c.relname = :name AND columns.newest < :own"
)
_NAMES = text(
    "SELECT c.relname FROM pg_catalog.pg_class c"
    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = :space AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname"
)


class PostgresDatabase:
    """Implements databases.port.Database."""

    retries = RETRIES
    is_server = True
    any_unique = False

    def __init__(self, url: URL, lock_wait_s: float, schema: str | None) -> None:
        """Nothing is opened yet."""
        self.location = url.set(query={}).render_as_string(hide_password=True)
        self.space = schema
        self._secrets = (str(url.password),) if url.password else ()
        self._lock_wait_s = lock_wait_s
        self.stages = PostgresStages(self)
        self.engine = create_engine(
            url,
            poolclass=NullPool,
            pool_reset_on_return=None,  # closing undoes what was not committed
            isolation_level="AUTOCOMMIT",  # the driver begins nothing by itself
            connect_args={
                "connect_timeout": CONNECT_S,
                "client_encoding": "utf8",
                "prepare_threshold": None,  # poolers do not know statements of other connections
                **_KEEPALIVE,
            },
        )

    def exists(self) -> bool:
        """A database of a server is there or cannot be reached."""
        return True

    @contextmanager
    def writing(self, writer: Writer | None = None) -> Iterator[Connection]:
        """READ COMMITTED: whoever waits for the ledger row sees it as the one before left it."""
        with self.connected() as connection:
            # Not READ WRITE: where writing is forbidden by default, somebody has meant that.
            self._set_up(connection, writer, "BEGIN ISOLATION LEVEL READ COMMITTED")
            yield connection

    def holding(self, connection: Connection, writer: Writer) -> None:
        """The name of the application says it already."""

    def commit(self, connection: Connection) -> None:
        """COMMIT, and see that it was one: of a failed transaction it is a ROLLBACK."""
        cursor = _driver(connection).execute("COMMIT")
        if cursor.statusmessage != "COMMIT":
            raise UnreachableError(
                "the database undid the transaction, and nothing was written",
                subject=self.location,
                next_action="nothing: the batch will be written again",
            )

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One snapshot."""
        with self.connected() as connection:
            self._set_up(connection, None, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield connection

    def hurry(self, connection: Connection, seconds: int) -> None:
        """For the rest of the transaction."""
        self.run(connection, f"SET LOCAL statement_timeout = '{seconds}s'")

    def opening(self, connection: Connection, table: str) -> None:
        """Two that create the same table at once would both fail."""
        key = blake2b(f"holdfast {self.placed(table)}".encode(), digest_size=8).digest()
        number = int.from_bytes(key, "big", signed=True)
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": number})

    def take_over(self, writer: Writer) -> None:
        """A paused driver keeps its transaction, and the ledger row in it, for ever."""
        with self.connected() as connection:
            found = connection.execute(
                text(
                    "SELECT pid, application_name FROM pg_catalog.pg_stat_activity"
                    " WHERE datname = current_database() AND usename = current_user"
                    " AND starts_with(application_name, :tag)"
                ),
                {"tag": tag(writer)},
            ).all()
            for pid, name in found:
                epoch = name.rpartition(" ")[2]
                if epoch.isdigit() and int(epoch) < writer.epoch:
                    connection.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})

    def can_pass(self, error: HoldfastError) -> bool:
        """Deadlocks, locks, and whatever a server says that comes or goes."""
        cause = error.__cause__
        return isinstance(cause, psycopg.Error) and postgres_errors.can_pass(cause)

    @contextmanager
    def defining(self, connection: Connection) -> Iterator[Connection]:
        """Tables are changed by transactions like rows."""
        yield connection

    def run(self, connection: Connection, statement: str) -> None:
        """As it is: per cent signs of names are no places for values."""
        _driver(connection).execute(statement.encode())

    def quote(self, name: str) -> str:
        """Not the dialect's own: it doubles per cent signs, which only parameters would need."""
        return '"' + name.replace('"', '""') + '"'

    def placed(self, name: str) -> str:
        """With its schema, so that no other table of the search path is meant."""
        return f"{self.quote(str(self.space))}.{self.quote(name)}"

    def refuse_name(self, what: str, name: str) -> None:
        """Names that would be cut off."""
        if len(name.encode()) > NAME_BYTES_MAX:
            raise UsageError(
                f"sql sink: {what} {name!r} has more than {NAME_BYTES_MAX} bytes",
                subject=self.location,
                next_action="PostgreSQL would cut it off: use a shorter name",
            )

    def folded(self, name: str) -> str:
        """Every name is quoted, so every character counts."""
        return name

    def declare(self, column: ColumnType | None, *, is_key: bool = False) -> str:
        """The type of a column that keeps these values."""
        return declared_type(column)

    def table_options(self) -> str:
        """Nothing."""
        return ""

    def table_names(self, connection: Connection) -> Sequence[str]:
        """Tables and views of the schema."""
        return list(connection.execute(_NAMES, {"space": self.space}).scalars())

    def table_state(self, connection: Connection, name: str) -> str | None:
        """By the transactions that wrote its catalog rows."""
        where = {"space": self.space, "name": name, "own": FIRST_OWN_OID}
        return connection.execute(_STATE, where).scalar_one_or_none()

    def table(self, connection: Connection, name: str) -> TargetTable:
        """The table of exactly this name, which must be there."""
        where = {"space": self.space, "name": name}
        kind, persistence = connection.execute(_KIND, where).one()
        more = {row.name: row for row in connection.execute(_COLUMNS, where)}
        unique: dict[int, set[str]] = {}
        for row in connection.execute(_UNIQUE, where):
            unique.setdefault(row.owner, set()).add(row.name)
        unfit = ""
        if kind == "f":
            unfit = "is a foreign table: its rows are in no transaction of this database"
        elif persistence == "u":
            unfit = "is unlogged: a crash of the server empties it, and not the ledger"
        found = inspect(connection).get_columns(
            quoted_name(name, quote=True), schema=quoted_name(str(self.space), quote=True)
        )
        return TargetTable(
            name=name,
            is_view=kind in ("v", "m"),
            columns=tuple(_column(column, more[column["name"]]) for column in found),
            unique=tuple(map(frozenset, unique.values())),
            unfit=unfit,
        )

    def create_like(self, connection: Connection, name: str, model: str) -> None:
        """LIKE copies all but foreign keys and triggers."""
        self.run(
            connection,
            f"CREATE TABLE {self.placed(name)} (LIKE {self.placed(model)} INCLUDING ALL)",
        )

    def reader(self, table: str) -> str:
        """Schema and name in quotes, as the reader takes them."""
        where = self.engine.url.update_query_dict({"table": self.placed(table)})
        return SecretText(
            f"postgres:{where.render_as_string(hide_password=False)}",
            f"postgres:{where.render_as_string(hide_password=True)}",
        )

    def put(
        self, connection: Connection, table: str, columns: Sequence[str], rows: SizedRows
    ) -> None:
        """COPY, in text: the server's own input functions read what the encoders wrote."""
        statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN"
        with _driver(connection).cursor() as cursor, cursor.copy(statement.encode()) as copy:
            for values, _ in rows:
                copy.write_row(values)

    def create_stage(self, connection: Connection, columns: Mapping[str, TargetColumn]) -> str:
        """Of the types of the target; gone at the end of the transaction."""
        parts = [f"{word} {column.declared}" for word, column in columns.items()]
        parts += ["own bytea", "dead smallint"]
        self.run(
            connection, f"CREATE TEMPORARY TABLE holdfast_stage ({', '.join(parts)}) ON COMMIT DROP"
        )
        return "pg_temp.holdfast_stage"

    def create_winners(self, connection: Connection, select: str) -> str:
        """Gone at the end of the transaction."""
        self.run(connection, f"CREATE TEMPORARY TABLE holdfast_winners ON COMMIT DROP AS {select}")
        return "pg_temp.holdfast_winners"

    def order_down(self, expression: str, column: TargetColumn) -> str:
        """NULL is the greatest here, unless told."""
        return f"{self.compared(expression, column)} DESC NULLS LAST"

    def compared(self, expression: str, column: TargetColumn) -> str:
        """Text by its characters, and not by the order of a language."""
        return f'{expression} COLLATE "C"' if column.sort_text else expression

    def upsert_tail(
        self, table: str, columns: Sequence[str], key: Sequence[str], newer: Newer | None
    ) -> str:
        """ON CONFLICT."""
        return on_conflict(self.quote, table, columns, key, newer)

    def delete_matching(
        self, connection: Connection, table: str, other: str, pairs: Mapping[str, str], where: str
    ) -> None:
        """DELETE … USING."""
        joined = " AND ".join(f"t.{mine} = w.{theirs}" for mine, theirs in pairs.items())
        self.run(
            connection, f"DELETE FROM {table} AS t USING {other} AS w WHERE {joined} AND {where}"
        )

    def _set_up(self, connection: Connection, writer: Writer | None, begin: str) -> None:
        settings = {**_SETTINGS, "lock_timeout": str(max(1, round(self._lock_wait_s * 1000)))}
        if writer is not None:
            settings["application_name"] = f"{tag(writer)}{writer.epoch}"
        # One question for all of it: a small batch is made of little else than round trips. With
        # synchronous_commit `off` a crash of the server soon after COMMIT undoes it, and Spark
        # would count the batch as done. Whatever else it is, is as durable as somebody wanted it.
        said = [f"set_config('{name}', '{value}', true)" for name, value in settings.items()]
        said.append(
            "CASE current_setting('synchronous_commit') WHEN 'off'"
            " THEN set_config('synchronous_commit', 'on', true) END"
        )
        asked = f"{begin}; SELECT {', '.join(said)}, current_schema()"
        cursor = _driver(connection).execute(asked.encode())
        cursor.nextset()
        *_, found = cursor.fetchone() or (None,)
        if self.space is None:
            if found is None:
                raise UsageError(
                    "sql sink: the search path of the role names no schema that exists",
                    subject=self.location,
                    next_action="add schema: … to the sink",
                )
            self.space = str(found)
        connection.execution_options(
            schema_translate_map={None: quoted_name(self.space, quote=True)}
        )

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A connection of its own; what it did not commit is undone when it closes."""
        try:
            with closing(self.engine.connect()) as connection:
                yield connection
        except DBAPIError as error:
            if not isinstance(error.orig, psycopg.Error):
                raise
            raise self._translated(error.orig) from error.orig
        except psycopg.Error as error:
            raise self._translated(error) from error

    def _translated(self, error: psycopg.Error) -> HoldfastError:
        return postgres_errors.translated(error, self.location, self._secrets, self._lock_wait_s)


def open_server(
    url: URL, lock_wait_s: float, schema: str | None, *, password: str | None = None
) -> PostgresDatabase:
    """The database behind a URL; raises UsageError where something of it cannot be right."""
    if not url.database:
        raise UsageError(
            "sql sink: url names no database",
            subject="sink",
            next_action="use postgresql://USER@HOST:PORT/DATABASE",
        )
    url = url.set(drivername=_DRIVER)
    return PostgresDatabase(
        url if password is None else url.set(password=str.__str__(password)), lock_wait_s, schema
    )


def _driver(connection: Connection) -> "psycopg.Connection[Any]":
    found: psycopg.Connection[Any] = connection.connection.driver_connection  # type: ignore[assignment]
    return found


def _column(column: Any, more: Any) -> TargetColumn:
    encoders = encoders_of(column["type"])
    identity = column.get("identity")
    return TargetColumn(
        name=column["name"],
        declared=more.declared,
        holds=frozenset(encoders),
        filled=column["default"] is not None or identity is not None,
        generated=column.get("computed") is not None or bool(identity and identity["always"]),
        nullable=column["nullable"],
        encoders=encoders,
        sortable=frozenset(encoders) - {Kind.JSON},
        zoned=zoned(column["type"]),
        sort_text=Kind.TEXT in encoders and more.declared.startswith(("text", "character")),
        comes_back=not more.declared.startswith(("json", "real", "uuid"))
        and not more.declared.endswith("[]"),
        alike="" if more.exact else "takes some different texts for equal (its collation)",
    )
