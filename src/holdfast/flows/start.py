"""start and sink: the door for existing code, with every guard of a declared job around it."""

import logging
import os
import threading
from collections.abc import Callable
from typing import Any

from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.surroundings.code_revision import code_revision
from holdfast.core.guards.at_least_once import CODE as AT_LEAST_ONCE
from holdfast.core.guards.at_least_once import is_at_least_once
from holdfast.core.guards.location import place_of
from holdfast.core.job import UNDECLARED, Declaration, Job, SinkSpec, SourceSpec, TriggerSpec
from holdfast.core.running.event import RunEvent, Tell, Unrecorded, Warned
from holdfast.core.running.failure import cause_line
from holdfast.core.running.ports import Binding
from holdfast.core.running.run import RunResult
from holdfast.errors import HoldfastError, UsageError
from holdfast.flows.engine import spark_module
from holdfast.flows.guard import check_declared
from holdfast.flows.prepare import Prepared, Surrounding, prepare_or_raise
from holdfast.flows.records.leftovers import put_leftovers_aside
from holdfast.flows.supervise import StopSignal, Supervisor

_END_WITHIN_S = 60.0
"""How long `stop` and `result` wait for the records of the end to be written."""

_DOOR = "holdfast.adapters.spark.door"
_LOG = logging.getLogger("holdfast")


class GuardedQuery:
    """A StreamingQuery that runs under a lease; whatever it does not say itself, Spark's says."""

    def __init__(self, started: Any, epoch: int, stop: StopSignal, run: Callable[[], RunResult]):
        """Begin to follow the query from a thread of our own."""
        self._theirs = started.theirs
        self._stop = stop
        self._result: RunResult | None = None
        self.epoch = epoch
        """The epoch of the lease, higher than that of any start before."""

        def follow() -> None:
            self._result = run()

        self._thread = threading.Thread(target=follow, name="holdfast-follow", daemon=True)
        self._thread.start()

    def __getattr__(self, name: str) -> Any:
        """Everything else is Spark's own: id, status, lastProgress and so on."""
        return getattr(self._theirs, name)

    def awaitTermination(self, timeout: float | None = None) -> bool | None:
        """As Spark's own; returns once the end is also written down and the lease given back."""
        try:
            ended: bool | None = self._theirs.awaitTermination(timeout)
        except BaseException:
            self._thread.join(_END_WITHIN_S)
            raise
        if ended is not False:
            self._thread.join(_END_WITHIN_S)
        return ended

    def stop(self) -> None:
        """End the query, write that down, and give the lease back."""
        self._stop.event.set()
        self._theirs.stop()
        self._thread.join(_END_WITHIN_S)

    @property
    def result(self) -> RunResult | None:
        """How the run ended; None while the query runs."""
        if not self._theirs.isActive:
            self._thread.join(_END_WITHIN_S)
        return self._result


def start(
    writer: Any, *, name: str, checkpoint: str, take_over: bool = False, tell: Tell | None = None
) -> GuardedQuery:
    """Start an ordinary DataStreamWriter with the guards, lease, history and seals of a job.

    `checkpoint` is fixed for this name for ever. Raises LeaseHeldError where another start of it
    lives, another RefusedError where a guard is against it, UsageError where Spark is. Warnings go
    to `tell`, or to the logger `holdfast`.
    """
    ready = spark_module(_DOOR).Writer(writer)
    job = _undeclared(name, checkpoint)
    around = Surrounding(
        base=os.path.dirname(checkpoint.rstrip("/")),
        profile="",
        master=ready.master,
        code_revision=code_revision(os.getcwd()),
        secrets=frozenset(),
        once=False,
        take_over=take_over,
    )
    told = tell or _log
    prepared = prepare_or_raise(job, around, _findings(job, around), told)
    try:
        put_leftovers_aside(job, prepared.lease.epoch, told)
        started = _started(ready, prepared)
    except HoldfastError:
        prepared.lease.release()
        raise
    stop = StopSignal()
    supervisor = Supervisor(
        prepared,
        around,
        lambda: started.ours,
        stop,
        told,
        spark_version=ready.spark_version,
        restarts=False,
    )
    return GuardedQuery(started, prepared.lease.epoch, stop, supervisor.run)


def sink(kind: str, **options: Any) -> Callable[[Any, int], None]:
    """A function for foreachBatch that writes into a sink with a ledger, exactly once.

    The query must be started with holdfast.start, which gives it the lease it writes under. Where
    the target of the user's own cannot tell repeated rows, it is at least once, and warned of.
    """
    function: Callable[[Any, int], None] = spark_module(_DOOR).sink_function(kind, options)
    if is_at_least_once(SinkSpec(kind=kind, options=options)):
        _LOG.warning("%s sink of kind %s: rows are written at least once", AT_LEAST_ONCE, kind)
    return function


def _undeclared(name: str, checkpoint: str) -> Job:
    if not name.strip() or not checkpoint.strip():
        raise UsageError("name and checkpoint cannot be empty", next_action="give both")
    if not place_of(checkpoint).parts:
        raise UsageError("a checkpoint needs a folder of its own", subject=checkpoint)
    return Job(
        name=name,
        source=SourceSpec(format=UNDECLARED, path=None, schema=None, options={}, job=None),
        transform=None,
        sink=SinkSpec(kind=UNDECLARED, options={}),
        trigger=TriggerSpec(kind="processing-time", interval=None),
        output_mode="append",
        checkpoint=checkpoint,
    )


def _findings(job: Job, around: Surrounding) -> Any:
    declaration = Declaration(
        path="",
        folder=os.getcwd(),
        profile="",
        base=around.base,
        jobs=(job,),
        spark={},
        secrets=frozenset(),
    )
    return check_declared(declaration, around.master)


def _started(ready: Any, prepared: Prepared) -> Any:
    lease, job = prepared.lease, prepared.job
    if ready.java_pid is not None:
        lease.share(ThisMachine().process(lease.holder, ready.java_pid))
    binding = Binding(checkpoint=job.checkpoint, epoch=lease.epoch, check=lease.check)
    try:
        return ready.start(job.name, job.checkpoint, binding)
    except HoldfastError:
        raise
    except Exception as error:
        raise UsageError(
            f"the query did not start: {cause_line(str(error))}",
            subject=job.name,
            next_action="mend the query; nothing was written",
        ) from error


def _log(event: RunEvent) -> None:
    if isinstance(event, Unrecorded):
        _LOG.warning("%s: not all of its records could be written: %s", event.job, event.reason)
    if isinstance(event, Warned):
        _LOG.warning("%s %s: %s", event.finding.code, event.finding.job, event.finding.message)
