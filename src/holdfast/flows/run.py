"""run: start declared jobs, each only after its guards have passed and its lease is taken."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from holdfast.adapters.clock import now_ms
from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.records.opening import open_records
from holdfast.core.guards.checking import check_locations
from holdfast.core.guards.guard_finding import GuardFinding
from holdfast.core.job import Declaration, Job
from holdfast.core.run import RunResult, encode_record, end_name
from holdfast.core.run_ports import Engine, Query, Records
from holdfast.errors import FencedError, HoldfastError, RefusedError, UsageError
from holdfast.flows.guard import guard_identity, remember_identity
from holdfast.flows.lease import Lease, acquire

_POLL_S = 0.2


@dataclass(slots=True)
class StopSignal:
    """Set from outside (Ctrl-C, SIGTERM, the end of --for) to let queries end."""

    event: threading.Event

    def wait(self, seconds: float) -> bool:
        """Wait, and say whether to stop."""
        return self.event.wait(seconds)


def run(
    declaration: Declaration,
    names: tuple[str, ...],
    engine: Callable[[Declaration], Engine],
    stop: StopSignal,
    *,
    once: bool,
    take_over: bool = False,
    told: Callable[[str, Mapping[str, Any]], None] = lambda job, progress: None,
    warned: Callable[[GuardFinding], None] = lambda finding: None,
) -> tuple[RunResult, ...]:
    """Run the jobs: one after the other with once, all together without."""
    jobs = _chosen(declaration, names)
    started = engine(declaration)
    try:
        _check_locations(declaration, started.master, warned)
        if once:
            return _in_order(jobs, started, stop, take_over, told)
        return _together(jobs, started, stop, take_over, told)
    finally:
        started.close()


Told = Callable[[str, Mapping[str, Any]], None]


def _chosen(declaration: Declaration, names: tuple[str, ...]) -> tuple[Job, ...]:
    known = {job.name: job for job in declaration.jobs}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"no job is called {unknown[0]!r}",
            subject=declaration.path,
            next_action=f"use one of {', '.join(known)}",
        )
    return tuple(job for job in declaration.jobs if not names or job.name in names)


def _check_locations(
    declaration: Declaration, master: str, warned: Callable[[GuardFinding], None]
) -> None:
    found = check_locations(declaration, master)
    for finding in found:
        if finding.severity == "warning":
            warned(finding)
    errors = [finding for finding in found if finding.severity == "error"]
    if errors:
        text = "\n".join(f"{f.code} {f.job}: {f.message}" for f in errors)
        raise RefusedError(text, next_action=errors[0].next_action)


def _in_order(
    jobs: tuple[Job, ...], engine: Engine, stop: StopSignal, take_over: bool, told: Told
) -> tuple[RunResult, ...]:
    results: list[RunResult] = []
    for job in jobs:
        if stop.event.is_set():
            break
        result = run_job(job, engine, stop, once=True, take_over=take_over, told=told)
        results.append(result)
        if result.is_bad:
            break  # what comes after reads what this one did not finish
    return tuple(results)


def _together(
    jobs: tuple[Job, ...], engine: Engine, stop: StopSignal, take_over: bool, told: Told
) -> tuple[RunResult, ...]:
    results: dict[str, RunResult] = {}

    def work(job: Job) -> None:
        results[job.name] = run_job(job, engine, stop, once=False, take_over=take_over, told=told)

    threads = [threading.Thread(target=work, args=(job,), name=job.name) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tuple(results[job.name] for job in jobs)


def run_job(
    job: Job, engine: Engine, stop: StopSignal, *, once: bool, take_over: bool, told: Told
) -> RunResult:
    """One run of one job, from its guards to its record."""
    started = now_ms()
    with ExitStack() as stack:
        try:
            records = open_records(job.checkpoint)
            guard_identity(job, records)
            lease = stack.enter_context(
                acquire(
                    records,
                    take_over=take_over,
                    machine=ThisMachine(),
                    monotonic=time.monotonic,
                    sleep=time.sleep,
                )
            )
        except HoldfastError as error:
            return _result(job, "refused", None, None, [], started, error)
        return _held(job, engine, stop, lease, records, started, once=once, told=told)


def _held(
    job: Job,
    engine: Engine,
    stop: StopSignal,
    lease: Lease,
    records: Records,
    started: int,
    *,
    once: bool,
    told: Told,
) -> RunResult:
    progress: list[Mapping[str, Any]] = []
    query: Query | None = None
    try:
        # Again, now that nobody else can change it.
        guard_identity(job, records)
        query = engine.start(job, once=once, epoch=lease.epoch, check=lease.check)
        remember_identity(job, records, query.id)
        stopped = _follow(job, query, lease, stop, progress, told)
        failure = query.failure()
        if failure is not None and not stopped:
            error: HoldfastError | None = UsageError(failure, subject=job.name)
            result = _result(job, "failed", lease.epoch, query.id, progress, started, error)
        else:
            end = "stopped" if stopped else "drained"
            result = _result(job, end, lease.epoch, query.id, progress, started, None)
    except FencedError as error:
        if query is not None:
            query.stop()
        result = _result(job, "fenced", lease.epoch, None, progress, started, error)
    except HoldfastError as error:
        result = _result(job, "failed", lease.epoch, None, progress, started, error)
    records.create(end_name(lease.epoch), encode_record(result))
    return result


def _follow(
    job: Job,
    query: Query,
    lease: Lease,
    stop: StopSignal,
    progress: list[Mapping[str, Any]],
    told: Told,
) -> bool:
    """Watch a query until it ends; True where it was stopped from outside.

    A stop lets the batch that is running finish: the query ends after its next progress.
    """
    while query.is_active():
        asked = stop.wait(_POLL_S)
        fresh = _take(query, progress)
        for item in fresh:
            told(job.name, item)
        if lease.lost:
            query.stop()
            lease.check()
        if asked and (fresh or not query.is_busy()):
            query.stop()
            _take(query, progress)
            return True
    for item in _take(query, progress):
        told(job.name, item)
    return False


def _take(query: Query, progress: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    seen = progress[-1]["batchId"] if progress else -1
    fresh = [item for item in query.progress() if item["batchId"] > seen]
    progress += fresh
    return fresh


def _result(
    job: Job,
    end: Any,
    epoch: int | None,
    query_id: str | None,
    progress: list[Mapping[str, Any]],
    started: int,
    error: HoldfastError | None,
) -> RunResult:
    return RunResult(
        job=job.name,
        end=end,
        epoch=epoch,
        query_id=query_id,
        batches=len(progress),
        rows=sum(int(item.get("numInputRows", 0)) for item in progress),
        last_batch=int(progress[-1]["batchId"]) if progress else None,
        duration_ms=now_ms() - started,
        cause=f"{error.code} {error.message}" if error else "",
        next_action=error.next_action if error else "",
    )
