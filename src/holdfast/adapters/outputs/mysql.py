"""Rows of a table of MariaDB or MySQL, in one consistent view."""

from typing import Any

import pymysql
from sqlalchemy import URL, Connection, NullPool, create_engine, literal_column, make_url, select
from sqlalchemy import table as named_table
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.sql import quoted_name

from holdfast.core.crash.table import EMPTY, Table, table_of
from holdfast.core.limits import OUTPUT_ROWS_MAX
from holdfast.core.secret_text import hide
from holdfast.errors import UnreachableError, UsageError

FORM = "mysql:mysql://USER:PASSWORD@HOST:PORT/DATABASE?table=NAME"
_CONNECT_S = 10
_DRIVER = "mysql+pymysql"
_NO_SUCH_TABLE = 1146
_SETTINGS = (
    "SET SESSION time_zone = '+00:00'",
    "SET SESSION lock_wait_timeout = 10",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
)


class MysqlOutput:
    """Implements audit.room.Output."""

    def __init__(self, url: URL, name: str) -> None:
        """Nothing is opened yet; where there is no such table there are no rows."""
        self._secrets = (str(url.password),) if url.password else ()
        self._subject = url.set(query={}).render_as_string(hide_password=True)
        self._name = name
        self._engine = create_engine(
            url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            connect_args={"connect_timeout": _CONNECT_S, "charset": "utf8mb4"},
        )

    def read(self) -> Table:
        """Every row that is committed now."""
        try:
            with self._engine.connect() as connection:
                return self._rows(connection)
        except (SQLAlchemyError, pymysql.Error) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            if isinstance(cause, pymysql.Error) and cause.args[:1] == (_NO_SUCH_TABLE,):
                return EMPTY
            # The driver's own words: SQLAlchemy quotes the statement.
            said = str(cause).strip().partition("\n")[0]
            raise UnreachableError(
                f"the output cannot be read: {hide(said, self._secrets)}", subject=self._subject
            ) from None

    def _rows(self, connection: Connection) -> Table:
        for setting in _SETTINGS:
            connection.exec_driver_sql(setting)
        rows: Any = connection.execute(
            select(literal_column("*"))
            .select_from(named_table(quoted_name(self._name, quote=True)))
            .limit(OUTPUT_ROWS_MAX + 1)
        )
        return table_of(list(rows.keys()), rows.all())


def open_mysql(where: str) -> MysqlOutput:
    """The table behind a URL with `table` in its query; raises UsageError where there is none."""
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        # The text is not quoted: it may hold a password.
        raise _wrong("this is no URL of a database") from None
    if url.drivername not in ("mysql", "mariadb", _DRIVER):
        raise _wrong(f"the URL names {url.drivername}, and not mysql")
    if "@" in (url.host or ""):
        raise _wrong("the URL has more than one @: write %40 in place of one in the password")
    table = url.query.get("table")
    if not isinstance(table, str) or not table:
        raise _wrong("the table is missing")
    return MysqlOutput(url.difference_update_query(["table"]).set(drivername=_DRIVER), table)


def _wrong(message: str) -> UsageError:
    return UsageError(message, subject="mysql", next_action=f"spell it as {FORM}")
