"""Whether the table still holds the last batch that the ledger knows.

It does not where the table was restored from an older backup than the ledger, or the ledger from
a newer one: the batches between would be skipped, and their rows are lost. Only a batch_column can
tell, and only of rows that are never replaced.
"""

from typing import Any

from sqlalchemy import ColumnClause, Connection, Select, column, func, select
from sqlalchemy import table as named_table
from sqlalchemy.sql import quoted_name

from holdfast.adapters.sinks import sql_ledger
from holdfast.adapters.sinks.databases.port import Database, TargetColumn, TargetTable
from holdfast.adapters.sinks.row_digest import RowDigest
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_table.encoding import encoders_of
from holdfast.adapters.sinks.sql_table.target import Target
from holdfast.errors import RefusedError, UnreachableError

CHECK_S = 10
"""A table without an index over the batch_column is read whole: after so long nothing is said."""

DIGEST_ROWS_MAX = 100_000
"""Rows of a larger batch are counted, and not read, unless the server digests them itself."""


class Restored:
    """The check of one sink."""

    def __init__(
        self, database: Database, options: SqlSinkOptions, target: Target, sink: str
    ) -> None:
        """Nothing is looked at yet."""
        self._database = database
        self._options = options
        self._target = target
        self._sink = sink

    def check_there(self, connection: Connection, query_id: str) -> None:
        """Raises RefusedError where batches brought rows and the table is gone.

        Only on servers: whoever makes a SQLite file anew loses the ledger with it.
        """
        if not self._database.is_server or self._target.find(connection) is not None:
            return
        if sql_ledger.holds_rows(connection, query_id, self._sink):
            raise RefusedError(
                f"the ledger of sink {self._sink!r} holds batches with rows, and the table is "
                "gone: to create it anew would lose them",
                subject=self._database.location,
                next_action="restore the table, or begin a new checkpoint",
            )

    def check(self, query_id: str) -> None:
        """Raises RefusedError where rows of the last batch are missing or are others."""
        if self._options.batch_column is None or self._options.mode != "append":
            return
        try:
            with self._database.reading() as connection:
                self._database.hurry(connection, CHECK_S)
                mark = sql_ledger.last_mark(connection, query_id, self._sink)
                table = self._target.find(connection)
                if mark is not None and mark.rows > 0:
                    self._compare(connection, table, mark)
        except UnreachableError:
            # Too slow to look at: writing does not depend on it.
            return

    def _compare(
        self, connection: Connection, table: TargetTable | None, mark: sql_ledger.Mark
    ) -> None:
        counted = select(func.count())
        found = 0 if table is None else connection.execute(self._of(counted, mark)).scalar_one()
        # More of them are those of another query that writes here too.
        if found < mark.rows:
            raise self._refused(mark, f"the table has {found:,} of its {mark.rows:,} rows")
        if table is None or found > mark.rows:
            return
        if ":" in mark.digest:
            digest = self._by_server(connection, table, mark)
        elif found > DIGEST_ROWS_MAX:
            return
        else:
            digest = self._digest(connection, table, mark)
        if digest not in (None, mark.digest):
            raise self._refused(mark, "the table has other rows for it than were written")

    def _digest(
        self, connection: Connection, table: TargetTable, mark: sql_ledger.Mark
    ) -> str | None:
        """Of the rows that are there; None where it says nothing."""
        columns = self._given(table)
        if not columns or not all(c.comes_back for c in columns):
            return None
        names = [c.name for c in columns]
        encoders = [encoders_of(c, c.name, self._options) for c in columns]
        digest, nulls = RowDigest(names), set(names)
        chosen: Any = select(*(column(quoted_name(name, quote=True)) for name in names))
        for row in connection.execute(self._of(chosen, mark)):
            try:
                digest.add([e[type(v)](v) for e, v in zip(encoders, row, strict=True)])
            except ValueError:
                return None
            nulls -= {name for name, value in zip(names, row, strict=True) if value is not None}
        # A column that is null in all rows may have been added after them.
        return None if nulls and digest.hex() != mark.digest else digest.hex()

    def _by_server(
        self, connection: Connection, table: TargetTable, mark: sql_ledger.Mark
    ) -> str | None:
        """The same of rows that executors have staged, which the server digests itself."""
        columns, stages = self._given(table), self._database.stages
        if not columns or stages is None:
            return None
        batch = self._database.quote(str(self._options.batch_column))
        where = f"{batch} = {mark.batch_id}"
        place = self._database.placed(table.name)
        names = [column.name for column in columns]
        found = stages.digest(connection, place, names, where)
        if found is None or found == mark.digest:
            return found
        if found.rpartition(":")[0] != mark.digest.rpartition(":")[0]:
            return None  # another release of the server, which hashes in another way
        # A column that is null in all rows may have been added after them.
        counted: Any = select(
            *(func.count(column(quoted_name(name, quote=True))) for name in names)
        )
        there = connection.execute(self._of(counted, mark)).one()
        return found if all(there) else None

    def _given(self, table: TargetTable) -> "list[TargetColumn]":
        """The columns that a batch must have had; none where that cannot be told."""
        columns = [c for c in table.columns if c.name != self._options.batch_column]
        if self._options.add_columns or any(c.filled or c.generated for c in columns):
            return []
        return columns

    def _of(self, chosen: "Select[Any]", mark: sql_ledger.Mark) -> "Select[Any]":
        space = self._database.space
        place = named_table(
            quoted_name(self._options.table, quote=True),
            schema=None if space is None else quoted_name(space, quote=True),
        )
        batch: ColumnClause[Any] = column(quoted_name(str(self._options.batch_column), quote=True))
        return chosen.select_from(place).where(batch == mark.batch_id)

    def _refused(self, mark: sql_ledger.Mark, found: str) -> RefusedError:
        return RefusedError(
            f"the ledger of sink {self._sink!r} holds batch {mark.batch_id}, and {found}: the "
            "table was changed, or restored from an older backup than the ledger",
            subject=self._database.location,
            next_action="take table, ledger and checkpoint back to the same time, "
            "or begin a new checkpoint",
        )
