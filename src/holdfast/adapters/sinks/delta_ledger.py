"""A Delta table as a sink with a ledger, which holds every batch exactly once.

Rows and the mark of their batch go in by one commit of Delta's log: a MERGE, or an append, that
carries the mark as its transaction version. The mark packs epoch and batch into one number
(delta_mark.py), so Delta itself, inside its transaction, skips a batch that is held and a writer
of a lower epoch. A writer that is overtaken while it writes has read the mark that its successor
then raised, and Delta refuses its commit.
"""

import json
import random
import time
import uuid
from collections.abc import Callable
from hashlib import blake2b
from typing import Literal

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapters.clock import now_ms
from holdfast.adapters.sinks.batch_check import check_batch
from holdfast.adapters.sinks.delta_log import DeltaLog, SparkFailure, failure_names
from holdfast.adapters.sinks.delta_mark import DeltaMark, application_id, note_of
from holdfast.adapters.sinks.delta_merge import (
    chosen_rows,
    computed_once,
    merge_statement,
    misfits,
    new_columns,
    settings_of,
    stored,
    table_name,
)
from holdfast.adapters.sinks.delta_options import DeltaSinkOptions
from holdfast.adapters.sinks.delta_table import add_columns, create_table, given_columns, nullable
from holdfast.core.running.batch import Batch
from holdfast.core.running.ports import TrialTarget
from holdfast.core.secret_text import as_shown
from holdfast.errors import InternalError, RefusedError, UnreachableError, UsageError

Step = Literal["begin", "rows", "merge", "merged", "committed"]
Steps = Callable[[Step], None]
"""Told of each step of a write as it is reached: it is known that the batch has to be written, its
rows are computed, the commit comes next, it is done, its mark has been read back. What it raises
ends the write there."""

ATTEMPTS_MAX = 10
"""Tries of one MERGE while others change the same files; the waits add up to half a minute."""

_WAIT_FIRST_S = 0.1
_WAIT_MAX_S = 8.0

_CONFLICTS = frozenset(
    {
        "ConcurrentAppendException",
        "ConcurrentDeleteReadException",
        "ConcurrentDeleteDeleteException",
        "ConcurrentTransactionException",
        "ConcurrentWriteException",
        "MetadataChangedException",
        "ProtocolChangedException",
    }
)
"""Somebody else committed first; nothing of ours is there, and the same MERGE may come again."""

_UNFIT_ROWS = frozenset({"DeltaInvariantViolationException", "InvariantViolationException"})


def no_steps(_step: Step) -> None:
    """The ordinary Steps: nobody listens."""


class DeltaLedgerSink:
    """Implements core.running.ports.BatchSink on a Delta table, by MERGE or by appending."""

    def __init__(
        self,
        options: DeltaSinkOptions,
        *,
        steps: Steps = no_steps,
        clock: Callable[[], int] = now_ms,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Touches nothing yet."""
        self.name = str(options.path).rstrip("/").rpartition("/")[2]
        """The folder's own name: the table remembers a query under it."""
        self._options = options
        self._shown = as_shown(options.path)
        self._steps = steps
        self._clock = clock
        self._sleep = sleep
        self._opened: set[str] = set()
        self._fenced: set[tuple[str, int]] = set()

    def listen(self, steps: Steps) -> None:
        """Tell someone else of the steps."""
        self._steps = steps

    def trial(self, folder: str, run: str) -> TrialTarget:
        """A table of its own for a trial of an audit."""
        path = f"{folder}/output"
        return TrialTarget(options={"path": path, "create": True}, root=path, read=f"delta:{path}")

    def end_trial(self, run: str) -> None:
        """Nothing lies outside the folder."""

    def open(self, query_id: str, epoch: int) -> None:
        """Make the table ready and raise the fence to this epoch.

        From then on no write of a lower epoch can be committed, not even one that has begun. A
        table that is made from the first batch is fenced then: until then there is nothing to
        protect. Raises FencedError where a higher epoch was here, UsageError where there is no
        table, RefusedError where the table would forget its marks.
        """
        log = self._log(_session())
        if not log.exists():
            if not self._options.create:
                raise UsageError(
                    "delta sink: there is no table",
                    subject=self._shown,
                    next_action="create it, or add create: true to the sink",
                )
            if self._options.columns is not None:
                given = given_columns(self._options)
                create_table(_session(), self._options, given, log, self._shown)
        if log.exists():
            self._raise_fence(log, query_id, epoch)
        self._opened.add(query_id)

    def last_batch(self, query_id: str) -> int | None:
        """The newest batch of this query that the table holds; None also where there is none."""
        log = self._log(_session())
        mark = log.mark(application_id(query_id, self.name)) if log.exists() else None
        return None if mark is None else mark.last_batch

    def write(self, batch: Batch) -> bool:
        """Write rows and mark by one commit; False where the table holds the batch already.

        The batch's frame is asked for only where it has to be written, and is then computed whole,
        once. Raises FencedError where a higher epoch has been seen; RefusedError where the rows do
        not fit or the table has lost its marks; UnreachableError where others changed the table
        all the time. The same call may be made again in every case: the table knows.
        """
        self._check(batch)
        log = self._log(_session())
        frame = None if log.exists() else self._created_from(batch, log)
        if (batch.query_id, batch.epoch) not in self._fenced:
            self._raise_fence(log, batch.query_id, batch.epoch)
        if self._standing(log, batch).holds(batch.batch_id):
            self._check_replay(log, batch)
            if frame is not None:  # asked for, so its plan has to run
                frame.write.format("noop").mode("overwrite").save()
            return False
        self._steps("begin")
        frame = _frame_of(batch) if frame is None else frame
        self._check_fit(batch, frame, log)
        if self._options.mode == "append":
            # Read once, by one try: it need not be computed beforehand.
            self._steps("rows")
            self._write_until_in(batch, frame, log, tries=1)
        else:
            with computed_once(chosen_rows(frame, self._options)) as rows:
                self._steps("rows")
                self._write_until_in(batch, rows, log, tries=ATTEMPTS_MAX)
        self._steps("committed")
        return True

    def _write_until_in(self, batch: Batch, rows: DataFrame, log: DeltaLog, *, tries: int) -> None:
        """Write, again where others came in between, until the table's own word is that it is in.

        A failure is no proof that nothing was committed, nor is success one that it was: Delta
        skips a writer that is overtaken without a word. Only the mark tells.
        """
        ours = DeltaMark(epoch=batch.epoch, last_batch=batch.batch_id)
        for attempt in range(tries):
            failure: BaseException | None = None
            try:
                self._commit(batch, rows, ours)
            except SparkFailure as error:
                failure = error
            found = self._standing(log, batch)
            if found == ours:
                return
            if found.holds(batch.batch_id):
                raise InternalError(
                    f"the table holds batch {found.last_batch} of epoch {found.epoch}, which "
                    f"nobody but this writer of batch {batch.batch_id} may have written",
                    subject=batch.query_id,
                )
            if failure is None:
                raise InternalError(
                    f"Delta took batch {batch.batch_id} and did not keep its mark",
                    subject=self._shown,
                )
            self._judge(batch, failure)
            if attempt + 1 == tries:
                break
            wait = min(_WAIT_MAX_S, _WAIT_FIRST_S * 2**attempt)
            self._sleep(wait * random.uniform(0.5, 1.0))
            self._check_fit(batch, rows, log)
        raise UnreachableError(
            f"batch {batch.batch_id} could not be committed: others changed the table while it "
            f"was written, {tries} times",
            subject=self._shown,
            next_action="let the query start again, or partition the table so that writers differ",
        )

    def _commit(self, batch: Batch, rows: DataFrame, mark: DeltaMark) -> None:
        """One commit with rows, mark and note; Delta takes the latter two from the session."""
        note = note_of(batch.query_id, batch.batch_id, batch.epoch, _digest(batch))
        spark = rows.sparkSession
        settings = {
            "spark.databricks.delta.write.txnAppId": application_id(batch.query_id, self.name),
            "spark.databricks.delta.write.txnVersion": str(mark.version),
            "spark.databricks.delta.commitInfo.userMetadata": note,
            # The rows are computed already; a second copy of them would be for nothing.
            "spark.databricks.delta.merge.materializeSource": "none",
        }
        with settings_of(spark, settings):
            self._steps("merge")
            if self._options.mode == "append":
                rows.write.format("delta").mode("append").save(str(self._options.path))
            else:
                self._merge(rows)
            self._steps("merged")

    def _merge(self, rows: DataFrame) -> None:
        view, spark = f"holdfast_{uuid.uuid4().hex}", rows.sparkSession
        rows.createOrReplaceTempView(view)
        try:
            spark.sql(merge_statement(self._options, rows.columns, view))
        finally:
            spark.catalog.dropTempView(view)

    def _judge(self, batch: Batch, failure: BaseException) -> None:
        """Return where the MERGE may be tried again, raise where it may not."""
        names = frozenset(failure_names(failure))
        if names & _CONFLICTS:
            return
        if names & _UNFIT_ROWS:
            said = next((line for line in str(failure).splitlines() if "DELTA_" in line), "")
            raise RefusedError(
                f"batch {batch.batch_id} breaks a rule of the table, and nothing of it was "
                f"written: {said[:300]}",
                subject=self._shown,
                next_action="quarantine such rows in the transform, or change the rule",
            ) from failure
        raise failure

    def _raise_fence(self, log: DeltaLog, query_id: str, epoch: int) -> None:
        log.check_retention(self.name)

        def raised(mark: DeltaMark | None) -> DeltaMark | None:
            if mark is None:
                return DeltaMark(epoch=epoch, last_batch=None)
            mark.check_fence(epoch, query_id, self.name)
            if mark.epoch == epoch:
                return None
            return DeltaMark(epoch=epoch, last_batch=mark.last_batch)

        log.raise_mark(application_id(query_id, self.name), raised, self._clock)
        self._fenced.add((query_id, epoch))

    def _standing(self, log: DeltaLog, batch: Batch) -> DeltaMark:
        """What the table remembers of the query; raises where it may not write any more."""
        mark = log.mark(application_id(batch.query_id, self.name))
        if mark is None:
            raise RefusedError(
                f"table {self.name!r} has lost the marks of the query since it was opened",
                subject=batch.query_id,
                next_action="find out who replaced or restored the table",
            )
        mark.check_fence(batch.epoch, batch.query_id, self.name)
        return mark

    def _check_replay(self, log: DeltaLog, batch: Batch) -> None:
        """Raises RefusedError where the table holds this batch id with other offsets.

        Then it is another batch: skipping it would lose its rows. It happens where the logs of a
        checkpoint were cut back while the table was kept. Nothing is said where either side does
        not know its offsets, or the commit is older than those that are looked at.
        """
        ours = _digest(batch)
        if not ours:
            return
        said = log.told(table_name(self._options.path), batch.query_id, batch.batch_id)
        theirs = said.get("offsets") if said else None
        if theirs and theirs != ours:
            raise RefusedError(
                f"table {self.name!r} holds batch {batch.batch_id} with other offsets than it now "
                "comes with: it is another batch, and skipping it would lose rows",
                subject=batch.query_id,
                next_action="take table and checkpoint back together, or begin a new checkpoint",
            )

    def _created_from(self, batch: Batch, log: DeltaLog) -> DataFrame | None:
        """Create the table by the first batch; its frame, which is asked for only once."""
        if batch.query_id in {query for query, _ in self._fenced} or not self._options.create:
            raise RefusedError(
                f"table {self.name!r} is gone",
                subject=self._shown,
                next_action="find out who removed it, and bring it back with its log",
            )
        frame = _frame_of(batch)
        wrong = misfits(self._options, frame.schema, None)
        if wrong:
            raise self._misfit(batch, wrong)
        create_table(
            _session(),
            self._options,
            nullable(stored(frame.schema, self._options)),
            log,
            self._shown,
        )
        return frame

    def _check_fit(self, batch: Batch, frame: DataFrame, log: DeltaLog) -> None:
        """Refuse columns that do not fit, or add them where that is allowed."""
        held = log.schema()
        wrong = misfits(self._options, frame.schema, held)
        if wrong:
            raise self._misfit(batch, wrong)
        added = new_columns(stored(frame.schema, self._options), held)
        if added.fields:
            add_columns(_session(), self._options, added)

    def _misfit(self, batch: Batch, wrong: list[str]) -> RefusedError:
        return RefusedError(
            f"batch {batch.batch_id} does not fit table {self.name!r}: {'; '.join(wrong)}",
            subject=self._shown,
            next_action="make the columns of transform and table the same, or add merge_schema: "
            "true where columns may come and go",
        )

    def _check(self, batch: Batch) -> None:
        """Mistakes of the caller, found before the table is touched."""
        check_batch(batch, self.name, self._opened)
        if batch.frame is None:
            raise InternalError(
                f"a batch without a frame came to sink {self.name!r}", subject=batch.query_id
            )

    def _log(self, spark: SparkSession) -> DeltaLog:
        return DeltaLog(spark, self._options.path, self._shown)


def _digest(batch: Batch) -> str:
    """The offsets of a batch, short enough for every commit; empty where they are not known."""
    if not batch.offsets:
        return ""
    try:
        text = json.dumps(batch.offsets, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InternalError(
            f"the offsets of batch {batch.batch_id} cannot be kept: {error}",
            subject=batch.query_id,
        ) from error
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _frame_of(batch: Batch) -> DataFrame:
    assert batch.frame is not None
    frame: DataFrame = batch.frame()
    return frame


def _session() -> SparkSession:
    """The session of this thread, or the only one: where a batch runs there is one."""
    try:
        return SparkSession.active()
    except PySparkException as error:
        raise InternalError("a Delta sink was used without a Spark session") from error
