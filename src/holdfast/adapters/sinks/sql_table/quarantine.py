"""Rows that the target cannot hold, in a table beside it, with the reason, in the same transaction.

Its columns: query_id, batch_id, row_number, column_name, reason, content (the row as JSON). Rows of
a batch = rows written + rows here with its query and batch. It is never read or emptied by us.
"""

from collections.abc import Sequence

from sqlalchemy import BigInteger, Column, Connection, MetaData, String, Table, insert
from sqlalchemy.schema import CreateTable
from sqlalchemy.sql import quoted_name

from holdfast.adapters.sinks.databases.port import Database
from holdfast.adapters.sinks.sql_ledger import LONG_TEXT
from holdfast.adapters.sinks.sql_table.encoding import AsideRow
from holdfast.core.running.batch import Batch
from holdfast.errors import UsageError


class Quarantine:
    """One quarantine table."""

    def __init__(self, database: Database, name: str) -> None:
        """Nothing is looked at yet."""
        self._database = database
        self._table = Table(
            quoted_name(name, quote=True),
            MetaData(),
            Column("query_id", String(64), nullable=False),
            Column("batch_id", BigInteger, nullable=False),
            Column("row_number", BigInteger, nullable=False),
            Column("column_name", LONG_TEXT, nullable=False),
            Column("reason", LONG_TEXT, nullable=False),
            Column("content", LONG_TEXT, nullable=False),
            mysql_engine="InnoDB",
            mysql_charset="utf8mb4",
            mariadb_engine="InnoDB",
            mariadb_charset="utf8mb4",
        )

    def prepare(self, connection: Connection) -> None:
        """Create it where it is not there; raises UsageError where it has another shape."""
        name = str(self._table.name)
        self._database.refuse_name("quarantine", name)
        if name not in self._database.table_names(connection):
            with self._database.defining(connection) as defining:
                defining.execute(CreateTable(self._table))
            return
        found = self._database.table(connection, name)
        there = {column.name for column in found.columns}
        missing = [column.name for column in self._table.columns if column.name not in there]
        if missing or found.is_view or found.unfit:
            why = found.unfit or f"has no column {', '.join(missing)}"
            raise UsageError(
                f"sql sink: quarantine {name!r} {why}",
                subject=self._database.location,
                next_action="name a table that does not exist; it is created",
            )

    def add(self, connection: Connection, batch: Batch, rows: Sequence[AsideRow]) -> None:
        """Put rows in."""
        if rows:
            connection.execute(
                insert(self._table),
                [
                    {
                        "query_id": batch.query_id,
                        "batch_id": batch.batch_id,
                        "row_number": row.number,
                        "column_name": row.column,
                        "reason": row.reason,
                        "content": row.content,
                    }
                    for row in rows
                ],
            )
