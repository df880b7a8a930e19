"""run: start declared jobs, each only after its guards have passed and its lease is taken."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from holdfast.adapters.clock import now_ms
from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.surroundings.code_revision import code_revision
from holdfast.core.job import Declaration, Job
from holdfast.core.running.event import Ended, Restarting, RunEvent, Started, Tell, tell_nobody
from holdfast.core.running.ports import Binding, Engine, Query
from holdfast.core.running.run import RunResult
from holdfast.errors import HoldfastError, UsageError
from holdfast.flows.engine import known_master, open_engine
from holdfast.flows.guard import check_declared
from holdfast.flows.operations.filling import refuse_unplanned
from holdfast.flows.prepare import Prepared, Surrounding, prepare, refused
from holdfast.flows.records.leftovers import put_leftovers_aside
from holdfast.flows.supervise import StopSignal, Supervisor

OpenEngine = Callable[[Declaration], Engine]

_LOOK_S = 0.1
"""How often a job that waits for its turn looks whether the run is to end."""


def run(
    declaration: Declaration,
    names: tuple[str, ...],
    stop: StopSignal,
    *,
    once: bool,
    take_over: bool = False,
    tell: Tell = tell_nobody,
    engine: OpenEngine = open_engine,
) -> tuple[RunResult, ...]:
    """Run the jobs: one after the other with once, all together without.

    What is refused is refused before Spark is touched, and does not keep the others from running.
    """
    jobs = _chosen(declaration, names)
    around = Surrounding(
        base=declaration.base,
        profile=declaration.profile,
        master=known_master(declaration.spark),
        code_revision=code_revision(declaration.folder),
        secrets=declaration.secrets,
        once=once,
        take_over=take_over,
    )
    found = check_declared(declaration, around.master)
    prepared: dict[str, Prepared] = {}
    results: dict[str, RunResult] = {}
    for job in jobs:
        mine = [finding for finding in found if finding.job == job.name]
        outcome = prepare(job, around, mine, tell)
        if isinstance(outcome, Prepared):
            prepared[job.name] = outcome
        else:
            results[job.name] = _ended(outcome, tell)
    if prepared:
        results |= _run_prepared(declaration, prepared, around, stop, tell, engine)
    return tuple(results[job.name] for job in jobs)


def exit_code(results: tuple[RunResult, ...]) -> int:
    """0 where all ended well; the common code of those that did not, 1 where they differ."""
    codes = {result.exit_code or 1 for result in results if result.is_bad}
    return 0 if not codes else codes.pop() if len(codes) == 1 else 1


def _chosen(declaration: Declaration, names: tuple[str, ...]) -> tuple[Job, ...]:
    known = {job.name: job for job in declaration.jobs}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"no job is called {unknown[0]!r} in profile {declaration.profile!r}",
            subject=declaration.path,
            next_action=f"use one of {', '.join(known)}",
        )
    return tuple(job for job in declaration.jobs if not names or job.name in names)


def _run_prepared(
    declaration: Declaration,
    prepared: dict[str, Prepared],
    around: Surrounding,
    stop: StopSignal,
    tell: Tell,
    open_one: OpenEngine,
) -> dict[str, RunResult]:
    try:
        # Not in the main thread: there Spark would put its own handler in place of ours for Ctrl-C.
        with ThreadPoolExecutor(max_workers=1) as opening:
            engine = opening.submit(open_one, declaration).result()
    except HoldfastError:
        for one in prepared.values():
            one.lease.release()
        raise
    try:
        return _with_engine(engine, prepared, around, stop, tell)
    finally:
        engine.close()


def _with_engine(
    engine: Engine,
    prepared: dict[str, Prepared],
    around: Surrounding,
    stop: StopSignal,
    tell: Tell,
) -> dict[str, RunResult]:
    results: dict[str, RunResult] = {}
    turns = _Turns(prepared, tell)

    def work(one: Prepared) -> None:
        results[one.job.name] = _ended(_supervised(one, engine, around, stop, turns), turns)

    def in_turn(one: Prepared) -> None:
        turns.wait(one, stop)
        try:
            work(one)
        finally:
            turns.had(one.job.name)

    if around.once:
        for one in prepared.values():
            _in_own_thread(work, one)
        return results
    threads = [_thread(in_turn, one) for one in prepared.values()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class _Turns:
    """Lets a job that reads another's table begin once the other had its turn.

    Spark's file sink makes the folder of its table when its query starts; a query that reads the
    table cannot start before. Where the other one does not come up, the reader goes on with what
    the table holds.
    """

    def __init__(self, prepared: Iterable[str], tell: Tell) -> None:
        self._began = {name: threading.Event() for name in prepared}
        self._tell = tell

    def __call__(self, event: RunEvent) -> None:
        """Hand on what is told, and note who had its turn."""
        match event:
            case Started(job=job) | Restarting(job=job):
                self.had(job)
        self._tell(event)

    def had(self, job: str) -> None:
        """A job had its turn, whatever came of it."""
        self._began[job].set()

    def wait(self, one: Prepared, stop: StopSignal) -> None:
        """Return when it is this job's turn, or when the run was asked to end."""
        before = self._began.get(one.job.source.job or "")
        while before is not None and not before.wait(_LOOK_S) and not stop.asked():
            pass


def _supervised(
    one: Prepared, engine: Engine, around: Surrounding, stop: StopSignal, tell: Tell
) -> RunResult:
    if stop.asked():
        one.lease.release()
        return _not_begun(one)
    try:
        if engine.pid is not None:
            one.lease.share(ThisMachine().process(one.lease.holder, engine.pid))
    except HoldfastError as error:
        one.lease.release()
        return refused(one.job, error, one.started_ms, around.secrets)
    binding = Binding(checkpoint=one.job.checkpoint, epoch=one.lease.epoch, check=one.lease.check)

    def start() -> Query:
        put_leftovers_aside(one.job, one.lease.epoch, tell)
        refuse_unplanned(one.job)
        return engine.start(one.job, once=around.once, binding=binding)

    supervisor = Supervisor(
        one,
        around,
        start,
        stop,
        tell,
        spark_version=engine.version,
    )
    return supervisor.run()


def _not_begun(one: Prepared) -> RunResult:
    """A job whose turn had not come when the run was stopped."""
    return RunResult(
        job=one.job.name,
        end="stopped",
        epoch=one.lease.epoch,
        query_id=None,
        batches=0,
        rows=0,
        last_batch=None,
        duration_ms=now_ms() - one.started_ms,
        cause="",
        started_ms=one.started_ms,
        ended_ms=now_ms(),
    )


def _ended(result: RunResult, tell: Tell) -> RunResult:
    tell(Ended(result=result))
    return result


def _thread(work: Callable[[Prepared], None], one: Prepared) -> threading.Thread:
    return threading.Thread(target=work, args=(one,), name=one.job.name)


def _in_own_thread(work: Callable[[Prepared], None], one: Prepared) -> None:
    """The main thread only waits, so that it hears signals at once."""
    thread = _thread(work, one)
    thread.start()
    thread.join()
