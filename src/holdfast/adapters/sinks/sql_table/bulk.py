"""The bulk roads: by staging tables of executors, and by one stream of Arrow batches.

What a batch will bring is not known before its plan is run, and the plan must run once. So the
batch before it decides: the ledger has its number of rows, and who wrote it knows its size.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from holdfast.adapters.sinks import sql_ledger
from holdfast.adapters.sinks.databases.port import Database, Staged, Stages, Writer
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_table.target import Target, types_of
from holdfast.core.running.batch import Batch

LARGE_ROWS = 50_000
"""From here on a batch is large. Staging costs two jobs' worth of round trips and a start of
Python workers, some tenths of a second; the driver needs about as long for so many rows."""


STREAM_BYTES_MAX = 100 * 1024 * 1024
"""Of Arrow, of a batch that goes through the driver, two partitions at a time. Java holds each of
them several times over: 240 MB in two were too much for the 1 GB that Spark gives it."""

STREAM_ROW_BYTES_MAX = 1_000
"""Of a row, on the average. Longer text is hashed by the server, which has to be sent it again."""

PIECE_BYTES = 2 * 1024 * 1024
PIECE_ROWS_MAX = 10_000
"""Of one Arrow batch: large enough for work by column, small enough for the processor's cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What is known of the batch before."""

    rows: int | None = None
    size: int | None = None
    """Its bytes in Arrow, None where another process wrote it: a batch that was too large for the
    memory of a driver must not come that way again."""

    @property
    def can_stream(self) -> bool:
        """Whether a batch like it should go through the driver as Arrow."""
        if self.rows is None or self.size is None or self.rows < LARGE_ROWS:
            return False
        return self.size <= min(STREAM_BYTES_MAX, self.rows * STREAM_ROW_BYTES_MAX)

    @property
    def rows_at_once(self) -> int:
        """How many rows of that size one Arrow batch has."""
        row = max(1, (self.size or 0) // max(1, self.rows or 0))
        return max(1, min(PIECE_ROWS_MAX, PIECE_BYTES // row))


NOTHING = Before()


class BulkRoad:
    """The bulk road into one table, where there is one."""

    def __init__(
        self, database: Database, options: SqlSinkOptions, target: Target, sink: str
    ) -> None:
        """Nothing is looked at yet."""
        self._database = database
        self._options = options
        self._target = target
        self._sink = sink

    @contextmanager
    def staged(self, batch: Batch, before: Before) -> Iterator[Staged | None]:
        """The rows of a batch in staging tables, for as long as the block lasts.

        None where they go through the driver.
        """
        stages = None if self.streams(batch, before) else self._stages(batch, before.rows)
        if stages is None:
            yield None
            return
        writer = Writer(query_id=batch.query_id, sink=self._sink, epoch=batch.epoch)
        required = self._required(batch)
        if required is None or not _have(batch, stages):
            yield None
            return
        assert batch.on_executors is not None
        try:
            yield stages.put(writer, batch.batch_id, types_of(batch), required, batch.on_executors)
        finally:
            stages.drop(writer, own=True)

    def streams(self, batch: Batch, before: Before) -> bool:
        """Whether the rows should come as Arrow batches; whether they can, the table decides."""
        can = batch.arrow is not None and bool(batch.types) and self._database.stages is not None
        return can and self._options.bulk == "auto" and before.can_stream

    def clear(self, writer: Writer) -> None:
        """Remove what earlier starts have left; the fence must be up."""
        if self._database.stages is not None and self._options.bulk != "never":
            self._database.stages.drop(writer, own=False)

    def _stages(self, batch: Batch, rows_before: int | None) -> Stages | None:
        bulk = self._options.bulk
        if bulk == "never" or batch.on_executors is None or not batch.types:
            return None
        small = rows_before is not None and rows_before < LARGE_ROWS
        return None if bulk == "auto" and small else self._database.stages

    def _required(self, batch: Batch) -> list[str] | None:
        """Columns that take no null; None where the batch cannot or need not be staged."""
        with self._database.reading() as connection:
            found = sql_ledger.standing_of(connection, batch.query_id, self._sink, lock=False)
            if found is None or found.epoch > batch.epoch:
                return None  # what then is said, is said by the transaction
            if found.last_batch is not None and found.last_batch >= batch.batch_id:
                return None
            required = self._target.required(connection, batch)
            return None if required is None else list(required)


def _have(batch: Batch, stages: Stages) -> bool:
    return batch.on_executors is not None and batch.on_executors.have(stages.modules)
