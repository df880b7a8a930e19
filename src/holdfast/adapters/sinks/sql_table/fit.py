"""Whether the columns of a batch fit a table: all that does not is said at once, before any row."""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.adapters.sinks.databases.port import Database, TargetColumn, TargetTable
from holdfast.adapters.sinks.sql_options import SqlSinkOptions, ascii_lower
from holdfast.adapters.sinks.sql_types import ColumnType, Kind
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError, UsageError


class Fit:
    """What the options of a sink ask of its table and of its batches."""

    def __init__(self, database: Database, options: SqlSinkOptions) -> None:
        """Nothing is looked at yet."""
        self._database = database
        self._options = options

    def check_names(self, batch: Batch) -> None:
        """What can be said of the columns of a batch without the table."""
        seen: dict[str, str] = {}
        for name in batch.columns:
            folded = self._database.folded(name)
            if folded in seen:
                both = f"{seen[folded]!r} and {name!r}"
                raise self._misfit(batch, [f"its columns {both} are one to a database"])
            seen[folded] = name
        if self._options.batch_column in batch.columns:
            raise self._misfit(
                batch, [f"it has a column {self._options.batch_column!r}, the batch_column"]
            )
        self.check_options_in(batch.columns)

    def check_options_in(self, columns: Iterable[str]) -> None:
        """Raises UsageError where the rows lack a column that an option names."""
        options = self._options
        named = [*((name, "key") for name in options.key)]
        named += [(options.version, "version")] if options.version else []
        named += [(options.tombstone, "tombstone")] if options.tombstone else []
        for name, what in named:
            if name not in columns:
                raise self.unfit(
                    f"the rows have no column {name!r}, which {what} names",
                    f"use one of {', '.join(map(repr, columns))}",
                )

    def check_key(self, table: TargetTable) -> None:
        """Raises UsageError where the table does not hold what the key promises."""
        key = self._options.key
        if table.unfit:
            raise self.unfit(f"table {table.name!r} {table.unfit}", "change the table")
        if key and frozenset(key) not in table.unique:
            raise self.unfit(
                f"nothing makes {', '.join(map(repr, key))} unique in table {table.name!r}",
                "add a primary key or a unique index over exactly these columns",
            )
        others = [sorted(names) for names in set(table.unique) - {frozenset(key)}]
        if key and others and self._database.any_unique:
            raise self.unfit(
                f"table {table.name!r} is unique by {', '.join(others[0])} too, and an upsert "
                "would replace the row that is in the way there",
                "drop that index, or use mode: append",
            )
        for column in table.columns:
            if column.name in key and column.alike:
                raise self.unfit(
                    f"key column {column.name!r} of table {table.name!r} {column.alike}",
                    "declare the column so that different keys stay different",
                )

    def check(
        self, table: TargetTable, batch: Batch, types: Mapping[str, ColumnType | None]
    ) -> tuple[str, ...]:
        """Say at once, and exactly, all that is missing or too much.

        Gives the columns that the table lacks and that may be added to it.
        """
        known = {column.name: column for column in table.columns}
        incoming = list(self._incoming(batch, known))
        spelled = {ascii_lower(name): name for name in known}
        folds = {self._database.folded(name) for name in known}
        wrong: list[str] = []
        new: list[str] = []
        for name in incoming:
            other = spelled.get(ascii_lower(name))
            if name in known:
                wrong.extend(_refusals(known[name], types.get(name)))
            elif other is not None and not (
                self._options.add_columns and self._database.folded(name) not in folds
            ):
                wrong.append(f"column {name!r} is called {other!r} in the table")
            elif self._options.add_columns and name in batch.columns:
                new.append(name)
            else:
                wrong.append(f"the table has no column {name!r}")
        given = {self._database.folded(name) for name in incoming}
        wrong.extend(
            f"the batch has no column {column.name!r}, for which the table has no default"
            for column in table.columns
            if self._database.folded(column.name) not in given
            and not (column.filled or column.generated)
            and not (self._options.add_columns and column.nullable)
        )
        if wrong:
            raise self._misfit(batch, wrong)
        return tuple(new)

    def _incoming(self, batch: Batch, known: Iterable[str]) -> Iterable[str]:
        for name in batch.columns:
            if name != self._options.tombstone or name in known:
                yield name
        if self._options.batch_column:
            yield self._options.batch_column

    def unfit(self, message: str, next_action: str) -> UsageError:
        """The error for a table that cannot take any batch."""
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


def _refusals(column: TargetColumn, given: ColumnType | None) -> Iterable[str]:
    """Why a column cannot take values of a type, as far as the type alone tells."""
    if column.generated:
        yield f"the table computes column {column.name!r} itself"
    if given is None:
        return
    whole_as_real = given.kind is Kind.INTEGER and Kind.REAL in column.holds
    if given.kind not in column.holds and not whole_as_real:
        told = f"{given.name}{given.arguments}"
        yield f"column {column.name!r} is {told}, and {column.declared} in the table"
    elif given.kind is Kind.TIMESTAMP and column.zoned is not None:
        zoned = given.name != "timestamp_ntz"
        if zoned != column.zoned:
            what = "moments" if zoned else "local times without a zone"
            yield (
                f"column {column.name!r} holds {what} ({given.name}), "
                f"and is {column.declared} in the table"
            )
