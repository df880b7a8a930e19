"""The table that a SQL sink writes rows to: whether a batch fits, and how its rows go in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from sqlalchemy import Connection

from holdfast.adapters.sinks.row_digest import RowDigest
from holdfast.adapters.sinks.sql_database import SqliteDatabase, TargetTable
from holdfast.adapters.sinks.sql_ddl import parse_columns
from holdfast.adapters.sinks.sql_options import SqlSinkOptions, ascii_lower, check_identifier
from holdfast.adapters.sinks.sql_types import Encoders, Kind, Stored, kind_of
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError, UsageError

CHUNK_ROWS_MAX = 1_000
"""Rows sent to the database at once."""

CHUNK_BYTES_MAX = 4 * 1024 * 1024
"""Their bytes together, give or take one row: what bounds memory where rows are large."""

SAMPLE_ROWS = 1_000
"""Rows of the first batch that say the types of a table to be created."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a batch brought: its rows, and a digest of them that knows no order."""

    rows: int
    digest: str


class Target:
    """One table of one database."""

    def __init__(self, database: SqliteDatabase, options: SqlSinkOptions) -> None:
        """Nothing is looked at yet."""
        self._database = database
        self._options = options
        self._given = None if options.columns is None else parse_columns(options.columns)

    def prepare(self, connection: Connection) -> None:
        """Check the table, or create it where that is asked for and its columns were given."""
        table = self._find(connection)
        if table is None and self._given is not None:
            self._create(connection, self._given)
            table = self._find(connection)
        if table is not None:
            self._check_key(table)

    def write(self, connection: Connection, batch: Batch) -> Tally:
        """Put the rows of a batch in; names are checked before rows are asked for.

        Raises RefusedError where the batch does not fit, naming the column, or the row as well;
        rows are counted from 1 in the order in which they come. The caller undoes what is there.
        """
        self._check_names(batch)
        table = self._find(connection)
        if table is not None:
            self._check_fit(table, batch)
        rows = batch.rows()
        if table is None:
            sample = list(islice(rows, SAMPLE_ROWS))
            if not sample:
                return Tally(rows=0, digest=RowDigest(batch.columns).hex())
            self._create(connection, _kinds(batch, sample))
            table = self._find(connection)
            rows = chain(sample, rows)
        if table is None:  # pragma: no cover
            raise AssertionError("a table that was just created is not there")
        self._check_key(table)
        digest = RowDigest(batch.columns)
        encoded = self._encoded(table, batch, rows, digest)
        if self._options.mode == "append":
            self._append(connection, batch, encoded)
        else:
            self._upsert(connection, batch, encoded)
        return Tally(rows=digest.rows, digest=digest.hex())

    def _find(self, connection: Connection) -> TargetTable | None:
        """The table; None where it is not there and may be created."""
        name = self._options.table
        names = self._database.table_names(connection)
        if name in names:
            table = self._database.table(connection, name)
            if table.is_view:
                raise self._unfit(f"{name!r} is a view", "name the table behind it")
            return table
        alike = [other for other in names if ascii_lower(other) == ascii_lower(name)]
        if alike:
            raise self._unfit(
                f"table {name!r} is called {alike[0]!r} in the database", f"write {alike[0]!r}"
            )
        if not self._options.create:
            raise self._unfit(
                f"there is no table {name!r}", "create it, or add create: true to the sink"
            )
        return None

    def _create(self, connection: Connection, kinds: Mapping[str, Kind | None]) -> None:
        quote, declare = self._database.quote, self._database.declare
        columns: dict[str, Kind | None] = dict(kinds)
        if self._options.batch_column is not None:
            columns[self._options.batch_column] = Kind.INTEGER
        for name in columns:
            check_identifier("a column", name)
        self._check_options_in(columns)
        parts = [f"{quote(name)} {declare(kind)}".rstrip() for name, kind in columns.items()]
        if self._options.key:
            parts.append(f"PRIMARY KEY ({', '.join(map(quote, self._options.key))})")
        connection.exec_driver_sql(
            f"CREATE TABLE {quote(self._options.table)} ({', '.join(parts)})"
        )

    def _check_names(self, batch: Batch) -> None:
        """What can be said of the columns of a batch without the table."""
        seen: dict[str, str] = {}
        for name in batch.columns:
            lower = ascii_lower(name)
            if lower in seen:
                both = f"{seen[lower]!r} and {name!r}"
                raise self._misfit(batch, [f"its columns {both} are one to a database"])
            seen[lower] = name
        if self._options.batch_column in batch.columns:
            raise self._misfit(
                batch, [f"it has a column {self._options.batch_column!r}, the batch_column"]
            )
        self._check_options_in(batch.columns)

    def _check_options_in(self, columns: Iterable[str]) -> None:
        named = [*self._options.key, *([self._options.version] if self._options.version else [])]
        lost = [name for name in named if name not in columns]
        if lost:
            what = "key" if lost[0] in self._options.key else "version"
            raise self._unfit(
                f"the rows have no column {lost[0]!r}, which {what} names",
                f"use one of {', '.join(map(repr, columns))}",
            )

    def _check_key(self, table: TargetTable) -> None:
        key = self._options.key
        if key and frozenset(key) not in table.unique:
            raise self._unfit(
                f"nothing makes {', '.join(map(repr, key))} unique in table {table.name!r}",
                "add a primary key or a unique index over exactly these columns",
            )

    def _check_fit(self, table: TargetTable, batch: Batch) -> None:
        """Say at once, and exactly, all that is missing or too much."""
        extra = [self._options.batch_column] if self._options.batch_column else []
        incoming = [*batch.columns, *extra]
        known = {column.name: column for column in table.columns}
        spelled = {ascii_lower(name): name for name in known}
        wrong = []
        for name in incoming:
            other = spelled.get(ascii_lower(name))
            if name in known and known[name].generated:
                wrong.append(f"the table computes column {name!r} itself")
            elif name not in known and other is not None:
                wrong.append(f"column {name!r} is called {other!r} in the table")
            elif name not in known:
                wrong.append(f"the table has no column {name!r}")
        given = {ascii_lower(name) for name in incoming}
        wrong.extend(
            f"the batch has no column {column.name!r}, for which the table has no default"
            for column in table.columns
            if ascii_lower(column.name) not in given and not (column.filled or column.generated)
        )
        if wrong:
            raise self._misfit(batch, wrong)

    def _encoded(
        self, table: TargetTable, batch: Batch, rows: Iterable[Sequence[Any]], digest: RowDigest
    ) -> Iterator[tuple[list[Stored], bytes, int]]:
        """Each row as it is stored, its own digest, and its size."""
        columns = {column.name: column for column in table.columns}
        encoders = [
            Encoders(
                columns[name].holds,
                columns[name].declared or "any",
                is_key=name in self._options.key,
                is_version=name == self._options.version,
            )
            for name in batch.columns
        ]
        for row in rows:
            if len(row) != len(encoders):
                raise _unstorable(batch, digest.rows + 1, f"has {len(row)} values")
            stored: list[Stored] = []
            try:
                for encoder, value in zip(encoders, row, strict=True):
                    stored.append(encoder[type(value)](value))
            except ValueError as error:
                name = batch.columns[len(stored)]
                said = f"column {name!r}: {error}"
                raise _unstorable(batch, digest.rows + 1, said) from error
            own, size = digest.add(stored)
            yield stored, own, size

    def _append(
        self, connection: Connection, batch: Batch, rows: Iterable[tuple[list[Stored], bytes, int]]
    ) -> None:
        quote = self._database.quote
        names, tail = self._names_and_tail(batch)
        statement = (
            f"INSERT INTO {quote(self._options.table)} ({', '.join(map(quote, names))}) "
            f"VALUES ({self._database.markers(len(names))})"
        )
        _send(connection, statement, (((*stored, *tail), size) for stored, _, size in rows))

    def _upsert(
        self, connection: Connection, batch: Batch, rows: Iterable[tuple[list[Stored], bytes, int]]
    ) -> None:
        """Through a staging table of this connection, so that memory does not grow with keys.

        Of the rows with one key the highest version goes in, and of one version the row with the
        highest digest: no choice of ours depends on the order in which Spark delivers rows.
        """
        quote, options = self._database.quote, self._options
        names, tail = self._names_and_tail(batch)
        staged = [f"c{i}" for i in range(len(names))]
        stage = dict(zip(names, staged, strict=True))
        stage_table = self._database.create_stage(connection, [*staged, "own"])
        _send(
            connection,
            f"INSERT INTO {stage_table} VALUES ({self._database.markers(len(names) + 1)})",
            (((*stored, *tail, own), size) for stored, own, size in rows),
        )
        key = ", ".join(stage[name] for name in options.key)
        version = f"{stage[options.version]} DESC, " if options.version else ""
        connection.exec_driver_sql(
            f"INSERT INTO {quote(options.table)} ({', '.join(map(quote, names))}) "
            f"SELECT {', '.join(staged)} FROM (SELECT *, row_number() OVER "
            f"(PARTITION BY {key} ORDER BY {version}own DESC) AS place FROM {stage_table}) "
            "WHERE place = 1 "
            + self._database.upsert_tail(options.table, names, options.key, options.version)
        )

    def _names_and_tail(self, batch: Batch) -> tuple[list[str], tuple[int, ...]]:
        """Columns to fill, and the values that are the same in every row."""
        column = self._options.batch_column
        if column is None:
            return [*batch.columns], ()
        return [*batch.columns, column], (batch.batch_id,)

    def _unfit(self, message: str, next_action: str) -> UsageError:
        return UsageError(
            f"sql sink: {message}", subject=self._database.location, next_action=next_action
        )

    def _misfit(self, batch: Batch, wrong: Sequence[str]) -> RefusedError:
        return RefusedError(
            f"batch {batch.batch_id} does not fit table {self._options.table!r}: "
            f"{'; '.join(wrong)}",
            subject=self._database.location,
            next_action="make the columns of transform and table the same",
        )


def _send(
    connection: Connection, statement: str, sized: Iterable[tuple[tuple[Stored, ...], int]]
) -> None:
    """Send rows, each given with its size, in chunks."""
    chunk: list[tuple[Stored, ...]] = []
    chunk_bytes = 0
    for values, size in sized:
        chunk.append(values)
        chunk_bytes += size
        if len(chunk) >= CHUNK_ROWS_MAX or chunk_bytes >= CHUNK_BYTES_MAX:
            connection.exec_driver_sql(statement, chunk)
            chunk, chunk_bytes = [], 0
    if chunk:
        connection.exec_driver_sql(statement, chunk)


def _kinds(batch: Batch, sample: Sequence[Sequence[Any]]) -> dict[str, Kind | None]:
    """The kind of each column by its first value; None where all of the sample are null."""
    kinds: dict[str, Kind | None] = dict.fromkeys(batch.columns)
    for number, row in enumerate(sample, start=1):
        for name, value in zip(batch.columns, row, strict=False):
            if value is None or kinds[name] is not None:
                continue
            try:
                kinds[name] = kind_of(type(value))
            except ValueError as error:
                raise _unstorable(batch, number, f"column {name!r}: {error}") from error
    return kinds


def _unstorable(batch: Batch, number: int, said: str) -> RefusedError:
    return RefusedError(
        f"batch {batch.batch_id}, row {number}, {said}; nothing of the batch was written",
        subject=batch.query_id,
        next_action="change the value in the transform, or the type of the column",
    )
