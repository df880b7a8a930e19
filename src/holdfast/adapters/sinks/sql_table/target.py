"""The table that a SQL sink writes rows to: whether a batch fits, and how its rows go in."""

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from sqlalchemy import Connection

from holdfast.adapters.sinks.databases.port import Check, Database, Staged, TargetTable
from holdfast.adapters.sinks.row_digest import RowDigest
from holdfast.adapters.sinks.sql_ddl import parse_columns, parse_type
from holdfast.adapters.sinks.sql_options import SqlSinkOptions, ascii_lower, check_identifier
from holdfast.adapters.sinks.sql_table.encoding import Encoding, unstorable
from holdfast.adapters.sinks.sql_table.fit import Fit
from holdfast.adapters.sinks.sql_table.quarantine import Quarantine
from holdfast.adapters.sinks.sql_table.replay import Replay, Row
from holdfast.adapters.sinks.sql_table.upsert import Upsert
from holdfast.adapters.sinks.sql_types import ColumnType, Kind, type_of
from holdfast.core.running.batch import Batch
from holdfast.errors import UnreachableError

ARROW_VALUES = "holdfast.adapters.sinks.databases.arrow_values"
SAMPLE_ROWS = 1_000
"""Rows of the first batch that say the types of a table to be created."""

Types = Mapping[str, ColumnType | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What was stored of a batch: its rows, and a digest of them that knows no order."""

    rows: int
    digest: str
    size: int | None = None
    """Their bytes in Arrow, where they came as such."""


class Target:
    """One table of one database."""

    def __init__(self, database: Database, options: SqlSinkOptions) -> None:
        """Nothing is looked at yet."""
        self._database = database
        self._options = options
        self._given = None if options.columns is None else parse_columns(options.columns)
        self._fit = Fit(database, options)
        self._upsert = Upsert(database, options)
        self._quarantine = None
        self._state: str | None = None
        self._table: TargetTable | None = None
        if options.quarantine is not None:
            self._quarantine = Quarantine(database, options.quarantine)

    def prepare(self, connection: Connection) -> None:
        """Check the table, or create it where that is asked for and its columns were given."""
        if self._quarantine is not None:
            self._quarantine.prepare(connection)
        table = self.find(connection)
        if table is None and self._given is not None:
            self._create(connection, self._given)
            table = self.find(connection)
        if table is not None:
            self._ready(connection, table)

    def write(self, connection: Connection, batch: Batch, replay: Replay) -> Tally:
        """Put the rows of a batch in; names and types are checked before rows are asked for.

        Raises RefusedError where the batch does not fit, naming the column, or the row as well;
        rows are counted from 1 in the order in which they come. The caller undoes what is there.
        """
        self._fit.check_names(batch)
        table = self.find(connection)
        types = types_of(batch) if self._database.is_server else {}
        new = () if table is None else self._fit.check(table, batch, types)
        if table is not None and not new:
            return self._put(connection, table, batch, replay.rows(), replay)
        rows = replay.rows()
        if not types:
            sample = list(islice(rows, SAMPLE_ROWS))
            if not sample:
                return Tally(rows=0, digest=RowDigest(batch.columns).hex())
            types = _sampled(batch, sample)
            rows = chain(sample, rows)
        if table is None:
            self._create(connection, types)
        else:
            self._add(connection, {name: types[name] for name in new})
        table = self.find(connection)
        if table is None:  # pragma: no cover
            raise AssertionError("a table that was just created is not there")
        return self._put(connection, table, batch, rows, replay)

    def required(self, connection: Connection, batch: Batch) -> Sequence[str] | None:
        """The columns of a batch that take no null, where executors can stage its rows.

        None where they cannot. Raises RefusedError where the batch does not fit.
        """
        stages = self._database.stages
        if stages is None or self._quarantine is not None:
            return None
        self._fit.check_names(batch)
        table, types = self.find(connection), types_of(batch)
        if table is not None:
            self._fit.check(table, batch, types)
        if not stages.can_hold(connection, types, table):
            return None
        return self._required(table)

    def move(self, connection: Connection, batch: Batch, staged: Staged) -> Tally:
        """Take over what executors have staged; the caller undoes it where this raises."""
        types = types_of(batch)
        table = self.find(connection)
        if table is None:
            self._create(connection, types)
        elif new := self._fit.check(table, batch, types):
            self._add(connection, {name: types[name] for name in new})
        table = self.find(connection)
        stages = self._database.stages
        if table is None or stages is None or not stages.can_hold(connection, types, table):
            raise self._not_staged("the table was changed while rows were put into staging tables")
        self._ready(connection, table)
        found = stages.count(connection, staged)
        if found != staged.rows:
            # The server empties unlogged tables when it crashes.
            raise self._not_staged(f"staging tables hold {found:,} of {staged.rows:,} rows")
        if not staged.tables:
            return Tally(rows=0, digest=staged.digest, size=0)
        if self._options.mode == "append":
            stages.append(connection, table.name, self._named(batch, staged), staged)
        else:
            self._upsert.move(connection, table, batch, staged)
        return Tally(rows=staged.rows, digest=staged.digest, size=staged.size)

    def stream(
        self,
        connection: Connection,
        batch: Batch,
        arrow: Callable[[], Iterator[Any]],
        replay: Replay,
    ) -> Tally:
        """Put in a batch that comes as Arrow batches; by rows where it cannot go that way."""
        self._fit.check_names(batch)
        table, types, stages = self.find(connection), types_of(batch), self._database.stages
        column = self._options.batch_column
        constant = None if column is None else (column, batch.batch_id)
        if (
            table is None
            or stages is None
            or self._quarantine is not None
            or self._fit.check(table, batch, types)
            or not stages.can_stream(connection, types, table, constant)
        ):
            return self.write(connection, batch, replay)
        self._ready(connection, table)
        appends = self._options.mode == "append"
        staged = stages.stream(
            connection,
            table if appends else None,
            types,
            arrow(),
            self._checked(batch, self._required(table)),
            constant,
        )
        if staged.tables and not appends:
            self._upsert.move(connection, table, batch, staged)
        return Tally(rows=staged.rows, digest=staged.digest, size=staged.size)

    def _checked(self, batch: Batch, required: Sequence[str]) -> Check:
        values = importlib.import_module(ARROW_VALUES)

        def check(name: str, column: Any, before: int) -> Any:
            narrowed = values.narrowed(column)
            wrong = values.first_wrong(narrowed, required=name in required)
            if wrong is not None:
                raise unstorable(batch, before + wrong[0] + 1, f"column {name!r}: {wrong[1]}")
            return narrowed

        return check

    def _required(self, table: TargetTable | None) -> Sequence[str]:
        # Where a tombstone removes a row, its other columns are not needed.
        tomb = self._options.tombstone
        columns = () if table is None else table.columns
        removes = tomb is not None and tomb not in {column.name for column in columns}
        filled = [] if removes else [column.name for column in columns if not column.nullable]
        return [*self._options.key, *filled]

    def _named(self, batch: Batch, staged: Staged) -> Mapping[str, str]:
        """Columns of the table, each with what is put into it."""
        named = dict(zip(batch.columns, staged.columns, strict=True))
        if self._options.batch_column is not None:
            named[self._options.batch_column] = str(batch.batch_id)
        return named

    def _not_staged(self, message: str) -> UnreachableError:
        return UnreachableError(
            f"{message}, and nothing was written",
            subject=self._database.location,
            next_action="nothing: the query starts again and writes the batch",
        )

    def find(self, connection: Connection) -> TargetTable | None:
        """The table; None where it is not there and may be created."""
        name = self._options.table
        state = self._database.table_state(connection, name)
        if state is not None and state == self._state and self._table is not None:
            return self._table
        names = self._database.table_names(connection)
        if name in names:
            table = self._database.table(connection, name)
            if table.is_view:
                raise self._fit.unfit(f"{name!r} is a view", "name the table behind it")
            # Asked before the table was looked at: a change in between shows the next time.
            self._state, self._table = state, table
            return table
        alike = [other for other in names if ascii_lower(other) == ascii_lower(name)]
        if alike:
            raise self._fit.unfit(
                f"table {name!r} is called {alike[0]!r} in the database", f"write {alike[0]!r}"
            )
        if not self._options.create:
            raise self._fit.unfit(
                f"there is no table {name!r}", "create it, or add create: true to the sink"
            )
        return None

    def _ready(self, connection: Connection, table: TargetTable) -> None:
        self._fit.check_key(table)
        self._upsert.prepare(connection, table)

    def _put(
        self,
        connection: Connection,
        table: TargetTable,
        batch: Batch,
        rows: Iterable[Row],
        replay: Replay,
    ) -> Tally:
        self._ready(connection, table)
        columns = {column.name: column for column in table.columns}
        encoding = Encoding(columns, batch, self._options)
        stored = encoding.stored(rows, replay)
        column = self._options.batch_column
        tail = () if column is None else (batch.batch_id,)
        if self._options.mode == "append":
            names = [*batch.columns, *(() if column is None else (column,))]
            self._database.put(
                connection,
                self._database.placed(table.name),
                [self._database.quote(name) for name in names],
                (((*row.values, *tail), row.size) for row in stored),
            )
        else:
            self._upsert.write(connection, table, batch, stored)
        if self._quarantine is not None:
            self._quarantine.add(connection, batch, encoding.aside)
        return Tally(rows=encoding.digest.rows, digest=encoding.digest.hex())

    def _create(self, connection: Connection, types: Types) -> None:
        quote, key = self._database.quote, self._options.key
        columns = {name: kind for name, kind in types.items() if name != self._options.tombstone}
        if self._options.batch_column is not None:
            columns[self._options.batch_column] = ColumnType(kind=Kind.INTEGER, name="bigint")
        for name in columns:
            check_identifier("a column", name)
            self._database.refuse_name("column", name)
        self._fit.check_options_in([*columns, *filter(None, [self._options.tombstone])])
        parts = [
            f"{quote(name)} {self._database.declare(kind, is_key=name in key)}".rstrip()
            for name, kind in columns.items()
        ]
        if key:
            parts.append(f"PRIMARY KEY ({', '.join(map(quote, key))})")
        name = self._database.placed(self._options.table)
        with self._database.defining(connection) as defining:
            self._database.run(
                defining,
                f"CREATE TABLE {name} ({', '.join(parts)}){self._database.table_options()}",
            )

    def _add(self, connection: Connection, types: Types) -> None:
        name = self._database.placed(self._options.table)
        for column, kind in types.items():
            check_identifier("a column", column)
            self._database.refuse_name("column", column)
            declared = f"{self._database.quote(column)} {self._database.declare(kind)}".rstrip()
            with self._database.defining(connection) as defining:
                self._database.run(defining, f"ALTER TABLE {name} ADD COLUMN {declared}")


def types_of(batch: Batch) -> Types:
    """The types of the columns as the engine knows them; empty where it does not say."""
    if not batch.types:
        return {}
    return {name: parse_type(batch.types[name]) for name in batch.columns}


def _sampled(batch: Batch, sample: Sequence[Sequence[Any]]) -> Types:
    """The type of each column by its first value; None where all of the sample are null."""
    types: dict[str, ColumnType | None] = dict.fromkeys(batch.columns)
    for number, row in enumerate(sample, start=1):
        for name, value in zip(batch.columns, row, strict=False):
            if value is None or types[name] is not None:
                continue
            try:
                types[name] = type_of(value)
            except ValueError as error:
                raise unstorable(batch, number, f"column {name!r}: {error}") from error
    return types
