"""A SQL table as a sink that holds every batch exactly once.

Rows and the mark of their batch go in by one transaction, so after any crash the database holds
both or neither, and a batch that Spark replays is skipped exactly when its rows are there. A
writer of a lower epoch is refused inside its own transaction (the ledger row is read after the
lock is taken), so a driver that was thought dead can write nothing once its successor has opened.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

from holdfast.adapters.clock import now_ms
from holdfast.adapters.sinks import sql_ledger
from holdfast.adapters.sinks.sql_database import open_database
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_target import Target
from holdfast.adapters.sinks.sql_types import canonical_json
from holdfast.core.running.batch import Batch
from holdfast.errors import InternalError, RefusedError, UsageError

Step = Literal["begin", "rows", "mark", "commit", "committed"]
Steps = Callable[[Step], None]
"""Told of each step of a write as it is reached: the transaction has begun, the rows are in, the
mark is in, COMMIT comes next, COMMIT is done. What it raises ends the write there."""


def no_steps(_step: Step) -> None:
    """The ordinary Steps: nobody listens."""


class SqlSink:
    """Implements core.running.ports.BatchSink. Holds no connection between calls."""

    def __init__(
        self,
        options: SqlSinkOptions,
        *,
        name: str | None = None,
        steps: Steps = no_steps,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        """Raises UsageError where the options cannot be right; opens nothing yet."""
        self.name = options.table if name is None else name
        """What the ledger knows it by, the table's name unless told; Batch.sink must be it."""
        self._options = options
        self._database = open_database(options.url, options.lock_wait_seconds)
        self._target = Target(self._database, options)
        self._steps = steps
        self._clock = clock
        self._opened: set[str] = set()

    @classmethod
    def from_options(cls, options: Mapping[str, Any], *, steps: Steps = no_steps) -> Self:
        """From the options of a declaration; raises UsageError that names the wrong one."""
        return cls(SqlSinkOptions.parse(options), steps=steps)

    @property
    def location(self) -> str:
        """The URL of the database, without credentials."""
        return self._database.location

    def open(self, query_id: str, epoch: int) -> None:
        """Make ledger and table ready and raise the fence to this epoch, in one transaction.

        Waits while another writer's transaction is open, so when it returns no write of a lower
        epoch is under way, and none can succeed any more. Raises FencedError where a higher epoch
        was here, UsageError where the table cannot take rows.
        """
        if not self._options.create and not self._database.exists():
            raise UsageError(
                "sql sink: there is no such database",
                subject=self.location,
                next_action="check url, or add create: true to the sink",
            )
        with self._database.writing() as connection:
            sql_ledger.prepare(connection, self.location)
            sql_ledger.raise_fence(connection, query_id, self.name, epoch)
            self._target.prepare(connection)
            self._database.commit(connection)
        self._opened.add(query_id)

    def last_batch(self, query_id: str) -> int | None:
        """The newest batch of this query that the sink holds; None also before any open."""
        if not self._database.exists():
            return None
        with self._database.reading() as connection:
            if sql_ledger.LEDGER.name not in self._database.table_names(connection):
                return None
            standing = sql_ledger.standing_of(connection, query_id, self.name)
        return None if standing is None else standing.last_batch

    def write(self, batch: Batch) -> bool:
        """Write rows and mark in one transaction; False where the ledger holds the batch already.

        Rows are asked for once at most, and not at all where the answer is False: a caller whose
        query is stateful must then run the plan itself, or Spark commits a batch without its
        state. Other writers of the database wait until the batch is in.

        Raises FencedError where a higher epoch has been seen; RefusedError where the rows do not
        fit, or where the ledger holds this batch id with other offsets (skipping would lose
        rows); UnreachableError where the database stayed locked, is full or fails. After any
        error but one of COMMIT itself nothing of the batch is there; after that one the ledger
        knows, and the same call may be made again in every case.
        """
        self._check(batch)
        with self._database.writing() as connection:
            self._steps("begin")
            standing = sql_ledger.standing_of(connection, batch.query_id, self.name)
            if standing is None:
                raise RefusedError(
                    f"the ledger of sink {self.name!r} has lost the query since it was opened",
                    subject=batch.query_id,
                    next_action="find out who restored or emptied the database",
                )
            sql_ledger.check_fence(standing, batch.query_id, self.name, batch.epoch)
            if standing.last_batch is not None and standing.last_batch >= batch.batch_id:
                sql_ledger.check_replay(
                    connection, batch.query_id, self.name, batch.batch_id, batch.offsets
                )
                return False
            tally = self._target.write(connection, batch)
            self._steps("rows")
            sql_ledger.add_mark(
                connection,
                sql_ledger.Mark(
                    query_id=batch.query_id,
                    sink=self.name,
                    batch_id=batch.batch_id,
                    epoch=batch.epoch,
                    rows=tally.rows,
                    digest=tally.digest,
                    offsets=batch.offsets,
                    written_at_ms=self._clock(),
                ),
            )
            self._steps("mark")
            self._steps("commit")
            self._database.commit(connection)
        self._steps("committed")
        return True

    def _check(self, batch: Batch) -> None:
        """Mistakes of the caller, found before the database is touched."""
        if batch.query_id not in self._opened:
            raise InternalError(
                f"sink {self.name!r} was not opened for this query", subject=batch.query_id
            )
        if batch.sink != self.name:
            raise InternalError(
                f"a batch for sink {batch.sink!r} came to sink {self.name!r}",
                subject=batch.query_id,
            )
        try:
            canonical_json(batch.offsets)
        except ValueError as error:
            raise InternalError(
                f"the offsets of batch {batch.batch_id} cannot be kept: {error}",
                subject=batch.query_id,
            ) from error


def open_sink(options: Mapping[str, Any]) -> SqlSink:
    """The entry point `sql` of the group `holdfast.sinks`."""
    return SqlSink.from_options(options)
