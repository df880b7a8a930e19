"""Run one prepared job: start its query, follow it, start it again where that helps, record it."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from holdfast import __version__
from holdfast.adapters.clock import now_ms
from holdfast.core.recording.progress import is_idle
from holdfast.core.running.backoff import RESTARTS_ONCE_MAX, wait_s
from holdfast.core.running.event import Progressed, Restarting, Started, Tell, Unrecorded
from holdfast.core.running.failure import Failure, is_interruption, of_error
from holdfast.core.running.ports import Query
from holdfast.core.running.run import (
    RunEnd,
    RunRestart,
    RunResult,
    RunStart,
    encode_record,
    end_name,
    restart_name,
    start_name,
)
from holdfast.core.secret_text import as_shown, hide
from holdfast.errors import HoldfastError, InternalError
from holdfast.flows.fingerprinting import record_fingerprint
from holdfast.flows.guard import remember_identity
from holdfast.flows.prepare import Prepared, Surrounding
from holdfast.flows.records.recorder import Recorder

POLL_S = 0.5
"""How often a query is looked at. Its end is noticed at once, a stop within this time."""

STOP_POLL_S = 0.05
"""The same once it is to stop: Spark begins the next batch at once, and that one is given up."""


@dataclass(slots=True)
class StopSignal:
    """Set from outside (Ctrl-C, SIGTERM, the end of --for) to let queries end."""

    event: threading.Event = field(default_factory=threading.Event)

    def asked(self) -> bool:
        """Whether to stop after the batch that runs."""
        return self.event.is_set()


class Supervisor:
    """One run of one job, from its first start to its record."""

    def __init__(
        self,
        prepared: Prepared,
        around: Surrounding,
        start: Callable[[], Query],
        stop: StopSignal,
        tell: Tell,
        *,
        spark_version: str | None,
        restarts: bool = True,
    ) -> None:
        """`start` starts the query once; it is called again after a failure that can pass.

        It gives a query that may be running already, so nothing in its checkpoint is touched here.
        """
        self._job = prepared.job
        self._records = prepared.records
        self._lease = prepared.lease
        self._around = around
        self._start = start
        self._stop = stop
        self._tell = tell
        self._may_restart = restarts
        self._started_ms = now_ms()
        self._spark_version = spark_version
        self._recorder = Recorder(
            self._job.checkpoint,
            self._records,
            self._lease.epoch,
            monotonic=time.monotonic,
            secrets=around.secrets,
        )
        self._query_id: str | None = None
        self._batches = 0
        self._rows = 0
        self._last_batch: int | None = None
        self._restarts = 0
        self._fruitless = 0
        """Failures in a row without a new batch in between."""

    def run(self) -> RunResult:
        """Run until it is drained, stopped, or cannot go on; never raises for the job's sake."""
        try:
            self._records.create(start_name(self._lease.epoch), encode_record(self._beginning()))
            failure, end = self._until_the_end()
        except HoldfastError as error:
            failure = of_error(error)
            end = "fenced" if failure.fenced else "failed"
        except Exception as error:  # noqa: BLE001 - our mistake: this job ends, the others go on
            failure = of_error(InternalError(f"internal error: {type(error).__name__}: {error}"))
            end = "failed"
        self._recorder.close()
        result = self._result(end, failure)
        return self._recorded(result)

    def _until_the_end(self) -> tuple[Failure | None, RunEnd]:
        while True:
            failure, end = self._once_through()
            if failure is None or not self._worth_trying(failure):
                return failure, end
            if not self._pause(failure):
                return None, "stopped"

    def _once_through(self) -> tuple[Failure | None, RunEnd]:
        """Start the query and follow it to its end."""
        query: Query | None = None
        try:
            query = self._start()
            self._query_id = query.id
            remember_identity(self._job, self._records, query.id)
            self._tell(Started(job=self._job.name, epoch=self._lease.epoch, query_id=query.id))
            if self._restarts == 0:
                record_fingerprint(
                    self._job, query, self._records, self._lease.epoch, self._around, self._tell
                )
            stopped = self._follow(query)
            failure = query.failure()
        except HoldfastError as error:
            if query is not None:
                _stop_if_possible(query)
            failure = of_error(error)
            return failure, "fenced" if failure.fenced else "failed"
        stopped = stopped or self._stop.asked()
        if failure is not None and not (stopped and is_interruption(failure.cause)):
            return failure, "fenced" if failure.fenced else "failed"
        return None, "stopped" if stopped else "drained"

    def _follow(self, query: Query) -> bool:
        """Watch a query until it ends; True where it was stopped from outside.

        A stop lets the batch that is running finish. What had ended before the stop was seen says
        nothing about that batch, and neither does a report of Spark that it was idle.
        """
        stopping = False
        while not query.wait(STOP_POLL_S if stopping else POLL_S):
            ended_one = self._note(query)
            self._recorder.tick()
            if self._lease.lost is not None:
                query.stop()
                self._lease.check()
            if self._stop.asked():
                if (stopping and ended_one) or not query.is_busy():
                    query.stop()
                    self._note(query)
                    return True
                stopping = True
        self._note(query)
        return False

    def _note(self, query: Query) -> bool:
        """Take in what the query did since the last look; whether a batch ended."""
        fresh = query.fresh()
        for progress in fresh:
            self._recorder.note(progress)
        # An idle event has the id of the batch to come, which nobody has planned.
        batches = [progress for progress in fresh if not is_idle(progress)]
        for progress in batches:
            self._count(progress)
            self._tell(Progressed(job=self._job.name, progress=progress))
        return bool(batches)

    def _count(self, progress: Mapping[str, Any]) -> None:
        batch = int(progress["batchId"])
        if self._last_batch is None or batch > self._last_batch:
            self._batches += 1
            self._last_batch = batch
            self._fruitless = 0
        self._rows += int(progress.get("numInputRows", 0))

    def _worth_trying(self, failure: Failure) -> bool:
        if not (failure.passing and self._may_restart) or failure.fenced or self._stop.asked():
            return False
        self._fruitless += 1
        return not self._around.once or self._fruitless <= RESTARTS_ONCE_MAX

    def _pause(self, failure: Failure) -> bool:
        """Write down the restart and wait; False where the run was asked to stop meanwhile."""
        self._restarts += 1
        seconds = wait_s(self._fruitless)
        restart = RunRestart(
            job=self._job.name,
            epoch=self._lease.epoch,
            number=self._restarts,
            at_ms=now_ms(),
            code=failure.code,
            cause=self._hidden(failure.cause),
            wait_ms=int(seconds * 1000),
        )
        name = restart_name(self._lease.epoch, self._restarts)
        self._records.create(name, encode_record(restart))
        self._tell(
            Restarting(
                job=self._job.name, restart=restart, next_action=self._hidden(failure.next_action)
            )
        )
        if self._stop.event.wait(seconds):
            return False
        self._lease.check()
        return True

    def _beginning(self) -> RunStart:
        holder = self._lease.holder
        return RunStart(
            job=self._job.name,
            epoch=self._lease.epoch,
            run_id=holder.run_id,
            started_ms=self._started_ms,
            host=holder.host,
            pid=holder.pid,
            user=holder.user,
            checkpoint=as_shown(self._job.checkpoint),
            profile=self._around.profile,
            master=self._around.master,
            once=self._around.once,
            take_over=self._around.take_over,
            holdfast_version=__version__,
            spark_version=self._spark_version,
            code_revision=self._around.code_revision,
        )

    def _result(self, end: RunEnd, failure: Failure | None) -> RunResult:
        ended_ms = now_ms()
        return RunResult(
            job=self._job.name,
            end=end,
            epoch=self._lease.epoch,
            query_id=self._query_id,
            batches=self._batches,
            rows=self._rows,
            last_batch=self._last_batch,
            duration_ms=ended_ms - self._started_ms,
            cause=self._hidden(failure.cause) if failure else "",
            next_action=self._hidden(failure.next_action) if failure else "",
            code=failure.code if failure else "",
            exit_code=failure.exit_code if failure else 0,
            started_ms=self._started_ms,
            ended_ms=ended_ms,
            restarts=self._restarts,
        )

    def _recorded(self, result: RunResult) -> RunResult:
        """Write down the end and give the lease back; a store that is away changes no result."""
        reasons = [] if self._recorder.trouble is None else [self._recorder.trouble]
        try:
            self._records.create(end_name(self._lease.epoch), encode_record(result))
        except HoldfastError as error:
            reasons.append(f"{error.code} {error.message}")
        if reasons:
            reason = self._hidden("; ".join(reasons))
            self._tell(Unrecorded(job=self._job.name, reason=reason))
        self._lease.release()
        return result

    def _hidden(self, text: str) -> str:
        return hide(text, self._around.secrets)


def _stop_if_possible(query: Query) -> None:
    """End a query whose run is over; where the engine has died, it is over already."""
    with suppress(HoldfastError):
        query.stop()
