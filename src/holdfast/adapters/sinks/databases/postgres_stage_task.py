"""What an executor does with its part of the rows: put them into a table of its own.

Arrow batches come from Spark one by one and leave as a binary COPY, so that memory holds a batch
and not a part. Values that PostgreSQL does not hold are looked for by column, without a loop over
rows. Loaded by name: it needs ADBC, and every executor needs what it imports.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa

from holdfast.adapters.sinks.databases.arrow_values import first_wrong, narrowed
from holdfast.adapters.sinks.databases.postgres_stage_names import new_token
from holdfast.adapters.sinks.databases.postgres_stages import result
from holdfast.core.secret_text import hide
from holdfast.errors import UnreachableError

_DATA = ("22", "23")
"""Classes of codes that say that a value cannot be stored: another attempt would say the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTask:
    """Stages one part of a batch; goes to the executors with all that it holds."""

    server: str = field(repr=False)
    """How libpq connects, with the password."""
    secrets: tuple[str, ...] = field(repr=False)
    schema: str
    prefix: str
    """Of the names of tables; a token of the attempt follows it."""
    names: tuple[str, ...]
    words: tuple[str, ...]
    declared: tuple[str, ...]
    required: frozenset[str]
    counted: str
    """What is selected in the end: the number of rows, and their digest."""
    location: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Put the rows in; gives one row about them, and none where there are none.

        A value that cannot be stored is told, and not raised: it would be tried again.
        """
        found = next((batch for batch in batches if batch.num_rows), None)
        if found is None:
            return
        checked = _Checked(self, found, batches)
        stage = f"{self.prefix}{new_token()}"
        try:
            with adbc.connect(self.server) as connection, connection.cursor() as cursor:
                columns = zip(self.words, self.declared, strict=True)
                schema = self.schema.replace('"', '""')
                place = f'"{schema}"."{stage}"'
                # Nobody but us will vacuum it, and for as long as it lives nobody needs to.
                cursor.execute(
                    f"CREATE UNLOGGED TABLE {place} ({', '.join(map(' '.join, columns))})"
                    " WITH (autovacuum_enabled = false)"
                )
                cursor.adbc_ingest(
                    stage, checked.reader(), mode="append", db_schema_name=self.schema
                )
                cursor.execute(f"SELECT {self.counted} FROM {place}")
                [(rows, digest)] = cursor.fetchall()
                connection.commit()
        except adbc.Error as error:
            refused = checked.refused or self._of_data(error)
            if refused is None:
                raise self._unreachable(error) from None
            yield pa.RecordBatch.from_pydict(result(None, 0, 0, "0", refused), schema=_RESULT)
            return
        if rows != checked.rows:
            raise UnreachableError(
                f"the server holds {rows:,} of {checked.rows:,} rows",
                subject=self.location,
                next_action="nothing: the task is tried again",
            )
        yield pa.RecordBatch.from_pydict(
            result(stage, rows, checked.size, digest, None), schema=_RESULT
        )

    def _of_data(self, error: Any) -> str | None:
        state = str(error.sqlstate or "")
        if state[:2] not in _DATA:
            return None
        return f"a row holds a value that the database cannot hold ({state})"

    def _unreachable(self, error: Any) -> UnreachableError:
        said = " ".join(hide(str(error), self.secrets).split())
        return UnreachableError(
            f"an executor cannot put rows into the database: {said[-300:]}",
            subject=self.location,
            next_action="check that executors reach the server, and that the role may create "
            "tables in the schema; or use bulk: never",
        )


_RESULT = pa.schema(
    [
        ("stage", pa.string()),
        ("rows", pa.int64()),
        ("size", pa.int64()),
        ("digest", pa.string()),
        ("refused", pa.string()),
    ]
)


class _Checked:
    """The rows on their way, and what was wrong with the first one that cannot be stored."""

    def __init__(self, task: StageTask, first: Any, rest: Iterator[Any]) -> None:
        self._task = task
        self._first = first
        self._rest = rest
        self.rows = 0
        self.size = 0
        self.refused: str | None = None

    def reader(self) -> Any:
        kinds = [narrowed(self._first.column(i)).type for i in range(len(self._task.words))]
        schema = pa.schema(list(zip(self._task.words, kinds, strict=True)))
        return pa.RecordBatchReader.from_batches(schema, self._batches(schema))

    def _batches(self, schema: Any) -> Iterator[Any]:
        yield self._checked(self._first, schema)
        for batch in self._rest:
            yield self._checked(batch, schema)

    def _checked(self, batch: Any, schema: Any) -> Any:
        columns = [narrowed(batch.column(i)) for i in range(len(schema))]
        for name, column in zip(self._task.names, columns, strict=True):
            wrong = first_wrong(column, required=name in self._task.required)
            if wrong is None:
                continue
            row, reason = self.rows + wrong[0] + 1, wrong[1]
            self.refused = f"row {row:,} of its part of the rows, column {name!r}: {reason}"
            raise ValueError(self.refused)
        self.rows += batch.num_rows
        self.size += batch.nbytes
        return pa.RecordBatch.from_arrays(columns, schema=schema)
