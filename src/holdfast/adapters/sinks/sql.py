"""A SQL table as a sink that holds every batch exactly once.

Rows and the mark of their batch go in by one transaction, so after any crash the database holds
both or neither, and a batch that Spark replays is skipped exactly when its rows are there. A
writer of a lower epoch is refused inside its own transaction (the ledger row is read after the
lock is taken), so a driver that was thought dead can write nothing once its successor has opened.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeVar

from sqlalchemy import Connection

from holdfast.adapters.clock import now_ms
from holdfast.adapters.sinks import sql_ledger
from holdfast.adapters.sinks.batch_check import check_batch, check_offsets
from holdfast.adapters.sinks.databases.opening import open_database
from holdfast.adapters.sinks.databases.port import Staged, Writer
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_table.bulk import NOTHING, Before, BulkRoad
from holdfast.adapters.sinks.sql_table.replay import REPLAY_BYTES_MAX, Replay
from holdfast.adapters.sinks.sql_table.restored import Restored
from holdfast.adapters.sinks.sql_table.target import Tally, Target
from holdfast.adapters.sinks.sql_table.trial import Trials
from holdfast.core.running.batch import Batch
from holdfast.core.running.ports import TrialTarget
from holdfast.errors import RefusedError, UnreachableError, UsageError

T = TypeVar("T")

RETRY_PAUSE_S = 0.2
"""Before the second attempt; it doubles each time, so that a server has some seconds to come up."""

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
        self._database = open_database(
            options.url, options.lock_wait_seconds, options.schema, password=options.password
        )
        self._database.refuse_name("table", options.table)
        self._target = Target(self._database, options)
        self._restored = Restored(self._database, options, self._target, self.name)
        self._trials = Trials(self._database, options, self._target)
        self._steps = steps
        self._clock = clock
        self._bulk = BulkRoad(self._database, options, self._target, self.name)
        self._opened: set[str] = set()
        self._before: dict[str, Before] = {}

    @classmethod
    def from_options(cls, options: Mapping[str, Any], *, steps: Steps = no_steps) -> Self:
        """From the options of a declaration; raises UsageError that names the wrong one."""
        return cls(SqlSinkOptions.parse(options), steps=steps)

    def listen(self, steps: Steps) -> None:
        """Tell someone else of the steps."""
        self._steps = steps

    @property
    def location(self) -> str:
        """The URL of the database, without credentials."""
        return self._database.location

    def trial(self, folder: str, run: str) -> TrialTarget:
        """A SQLite file of its own for a trial of an audit; on a server, a table of its own."""
        if self._database.is_server:
            return self._trials.make(run)
        file = f"{folder}/output.db"
        return TrialTarget(
            options={"url": f"sqlite:///{file}", "create": True},
            root=file,
            read=f"sqlite:{file}?table={self._options.table}",
        )

    def end_trial(self, run: str) -> None:
        """Of SQLite nothing lies outside the folder."""
        if self._database.is_server:
            self._trials.end(run)

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
        writer = Writer(query_id=query_id, sink=self.name, epoch=epoch)
        self._again(lambda: self._open(writer), lambda: True)
        self._opened.add(query_id)

    def _open(self, writer: Writer) -> None:
        if self._database.is_server and self._is_overtaken(writer):
            self._database.take_over(writer)
        with self._database.writing(writer) as connection:
            self._database.opening(connection, self._options.table)
            sql_ledger.prepare(connection, self._database)
            before = sql_ledger.raise_fence(connection, writer.query_id, self.name, writer.epoch)
            self._restored.check_there(connection, writer.query_id)
            self._target.prepare(connection)
            self._database.commit(connection)
        self._before[writer.query_id] = NOTHING if before is None else Before(rows=before.rows)
        self._bulk.clear(writer)
        self._restored.check(writer.query_id)

    def _is_overtaken(self, writer: Writer) -> bool:
        """Whether the newest epoch that was here is lower: what it still does is of no use."""
        standing = self._standing(writer.query_id)
        return standing is not None and standing.epoch < writer.epoch

    def last_batch(self, query_id: str) -> int | None:
        """The newest batch of this query that the sink holds; None also before any open."""
        standing = self._standing(query_id)
        return None if standing is None else standing.last_batch

    def _standing(self, query_id: str) -> sql_ledger.Standing | None:
        if not self._database.exists():
            return None
        with self._database.reading() as connection:
            if sql_ledger.LEDGER.name not in self._database.table_names(connection):
                return None
            return sql_ledger.standing_of(connection, query_id, self.name, lock=False)

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
        with self._bulk.staged(batch, self._before.get(batch.query_id, NOTHING)) as staged:
            attempt = self._attempt(batch, staged)
            wrote = self._again(
                lambda: self._write(batch, attempt),
                lambda: attempt.is_whole() or attempt.committing,
            )
        if wrote:
            self._steps("committed")
        return wrote

    def _attempt(self, batch: Batch, staged: Staged | None) -> "_Attempt":
        if staged is not None:
            return _Attempt(lambda connection: self._target.move(connection, batch, staged))
        replay = Replay(batch.rows, REPLAY_BYTES_MAX if self._database.is_server else 0)
        before = self._before.get(batch.query_id, NOTHING)
        return self._streaming(batch, replay, before) or _Attempt(
            lambda connection: self._target.write(connection, batch, replay),
            lambda: replay.is_whole,
        )

    def _streaming(self, batch: Batch, replay: Replay, before: Before) -> "_Attempt | None":
        """The rows as Arrow batches, which come once; None where they do not."""
        ask = batch.arrow
        if ask is None or not self._bulk.streams(batch, before):
            return None
        asked: list[int] = []

        def arrow() -> Iterator[Any]:
            asked.append(before.rows_at_once)
            return ask(before.rows_at_once)

        return _Attempt(
            lambda connection: self._target.stream(connection, batch, arrow, replay),
            lambda: not asked and replay.is_whole,
        )

    def _write(self, batch: Batch, attempt: "_Attempt") -> bool:
        writer = Writer(query_id=batch.query_id, sink=self.name, epoch=batch.epoch)
        with self._database.writing(writer) as connection:
            self._steps("begin")
            self._database.holding(connection, writer)
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
                # Our own COMMIT, whose answer was lost: only we write under this epoch.
                return attempt.committing and standing.epoch == batch.epoch
            attempt.committing = False
            if not attempt.is_whole():
                raise UnreachableError(
                    "the connection was lost amid COMMIT, and the batch is not there",
                    subject=self.location,
                    next_action="nothing: the query starts again and writes the batch",
                )
            tally = attempt.put(connection)
            self._steps("rows")
            sql_ledger.add_mark(connection, self._mark(batch, tally))
            self._steps("mark")
            self._steps("commit")
            attempt.committing = True
            self._database.commit(connection)
        self._before[batch.query_id] = Before(rows=tally.rows, size=tally.size)
        return True

    def _mark(self, batch: Batch, tally: Tally) -> sql_ledger.Mark:
        return sql_ledger.Mark(
            query_id=batch.query_id,
            sink=self.name,
            batch_id=batch.batch_id,
            epoch=batch.epoch,
            rows=tally.rows,
            digest=tally.digest,
            offsets=batch.offsets,
            written_at_ms=self._clock(),
        )

    def _again(self, act: Callable[[], T], may: Callable[[], bool]) -> T:
        """Try again what can pass, a bounded number of times."""
        pause = RETRY_PAUSE_S
        for _ in range(self._database.retries):
            try:
                return act()
            except UnreachableError as error:
                if not self._database.can_pass(error) or not may():
                    raise
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause *= 2
        return act()

    def _check(self, batch: Batch) -> None:
        """Mistakes of the caller, found before the database is touched."""
        check_batch(batch, self.name, self._opened)
        check_offsets(batch)


@dataclass(slots=True)
class _Attempt:
    """What is known of the attempts at one batch."""

    put: Callable[[Connection], Tally]
    """Puts the rows in."""
    is_whole: Callable[[], bool] = lambda: True
    """Whether all rows can be put in once more."""
    committing: bool = False
    """COMMIT was sent, and no answer has come."""


def open_sink(options: Mapping[str, Any]) -> SqlSink:
    """The entry point `sql` of the group `holdfast.sinks`."""
    return SqlSink.from_options(options)
