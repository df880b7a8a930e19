"""Rows of a PostgreSQL table, in one consistent view."""

import re
from typing import Any

import psycopg
from sqlalchemy import (
    URL,
    Connection,
    NullPool,
    Result,
    create_engine,
    literal_column,
    make_url,
    select,
    text,
)
from sqlalchemy import table as named_table
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.sql import quoted_name

from holdfast.core.crash.table import EMPTY, Table, table_of
from holdfast.core.limits import OUTPUT_ROWS_MAX
from holdfast.core.secret_text import hide
from holdfast.errors import UnreachableError, UsageError

FORM = "postgres:postgresql://USER:PASSWORD@HOST:PORT/DATABASE?table=SCHEMA.NAME"
_CONNECT_S = 10
_DRIVER = "postgresql+psycopg"
_PART = r'(?:"((?:[^"]|"")+)"|([^".]+))'
_NAME = re.compile(rf"(?:{_PART}\.)?{_PART}")
# The job may stand still with a lock in its hand: a look must not wait for it for ever.
_SETTINGS = (
    "SET LOCAL lock_timeout = '10s'",
    "SET LOCAL statement_timeout = '120s'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL extra_float_digits = 3",
)
# A name that was not quoted when the table was made is there in small letters.
_FIND = text(
    "WITH wanted AS (SELECT CAST(:space AS text) AS space, CAST(:name AS text) AS name)"
    " SELECT n.nspname, c.relname FROM wanted, pg_catalog.pg_class c"
    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname IN (name, lower(name))"
    " AND CASE WHEN space = '' THEN pg_catalog.pg_table_is_visible(c.oid)"
    " ELSE n.nspname IN (space, lower(space)) END"
    " ORDER BY c.relname = name DESC, n.nspname = space DESC LIMIT 1"
)


class PostgresOutput:
    """Implements audit.room.Output."""

    def __init__(self, url: URL, space: str, name: str) -> None:
        """Nothing is opened yet; where there is no such table there are no rows."""
        self._secrets = (str(url.password),) if url.password else ()
        self._subject = url.set(query={}).render_as_string(hide_password=True)
        self._space = space
        self._name = name
        self._engine = create_engine(
            url, poolclass=NullPool, connect_args={"connect_timeout": _CONNECT_S}
        ).execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    def read(self) -> Table:
        """Every row that is committed now."""
        try:
            with self._engine.connect() as connection:
                return self._rows(connection)
        except (SQLAlchemyError, psycopg.Error) as error:
            # The driver's own first line: what follows, and SQLAlchemy, quote the statement.
            said = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            raise UnreachableError(
                f"the output cannot be read: {hide(said, self._secrets)}", subject=self._subject
            ) from None

    def _rows(self, connection: Connection) -> Table:
        for setting in _SETTINGS:
            connection.execute(text(setting))
        found = connection.execute(_FIND, {"space": self._space, "name": self._name}).first()
        if found is None:
            return EMPTY
        space, name = (quoted_name(part, quote=True) for part in found)
        rows: Result[Any] = connection.execute(
            select(literal_column("*"))
            .select_from(named_table(name, schema=space))
            .limit(OUTPUT_ROWS_MAX + 1)
        )
        return table_of(list(rows.keys()), rows.all())


def open_postgres(where: str) -> PostgresOutput:
    """The table behind a URL with `table` in its query; raises UsageError where there is none."""
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        # The text is not quoted: it may hold a password.
        raise _wrong("this is no URL of a database") from None
    if url.drivername not in ("postgresql", "postgres", _DRIVER):
        raise _wrong(f"the URL names {url.drivername}, and not postgresql")
    if "@" in (url.host or ""):
        raise _wrong("the URL has more than one @: write %40 in place of one in the password")
    table = url.query.get("table")
    if not isinstance(table, str) or not table:
        raise _wrong("the table is missing")
    space, name = _names(table)
    url = url.difference_update_query(["table"]).set(drivername=_DRIVER)
    return PostgresOutput(url, space, name)


def _names(table: str) -> tuple[str, str]:
    """Schema, '' where none is named, and table; a part with dots stands in double quotes."""
    match = _NAME.fullmatch(table)
    if match is None:
        raise _wrong(f"{table!r} is no name of a table")
    quoted_space, space, quoted, name = (part or "" for part in match.groups())
    return quoted_space.replace('""', '"') or space, quoted.replace('""', '"') or name


def _wrong(message: str) -> UsageError:
    return UsageError(message, subject="postgres", next_action=f"spell it as {FORM}")
