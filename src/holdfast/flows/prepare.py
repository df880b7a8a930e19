"""What must be done for a job before Spark is touched: guards, then the lease."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.adapters.clock import now_ms
from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.records.opening import open_records
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.location import place_of
from holdfast.core.job import UNDECLARED, Job
from holdfast.core.running.event import Tell, Warned
from holdfast.core.running.failure import of_error
from holdfast.core.running.ports import Records
from holdfast.core.running.run import RunResult
from holdfast.core.secret_text import hide
from holdfast.errors import GuardedError, HoldfastError
from holdfast.flows.guard import check_start
from holdfast.flows.lease import Lease, acquire, wait_until_free


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrounding:
    """What all jobs of one start have in common."""

    base: str
    profile: str
    master: str
    code_revision: str | None
    secrets: frozenset[str]
    once: bool
    take_over: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A job whose guards have passed and whose lease is ours."""

    job: Job
    records: Records
    lease: Lease
    started_ms: int


def prepare(
    job: Job, around: Surrounding, declared: Iterable[GuardFinding], tell: Tell
) -> Prepared | RunResult:
    """Pass the guards and take the lease of one job, or say why it is refused."""
    started_ms = now_ms()
    try:
        return prepare_or_raise(job, around, declared, tell)
    except HoldfastError as error:
        return refused(job, error, started_ms, around.secrets)


def prepare_or_raise(
    job: Job, around: Surrounding, declared: Iterable[GuardFinding], tell: Tell
) -> Prepared:
    """Pass the guards and take the lease of one job; raises what is against it."""
    started_ms = now_ms()
    records = open_records(job.checkpoint)
    # Code that hands over its own writer always says where its checkpoint lies.
    given_by_hand = job.source.format == UNDECLARED or place_of(job.checkpoint) != place_of(
        f"{around.base}/{job.name}"
    )
    declared = tuple(declared)
    found = (*declared, *check_start(job, records, given_by_hand=given_by_hand))
    for finding in found:
        if finding.severity == "warning":
            tell(Warned(finding=finding))
    if _errors(found) and not _errors(declared) and not around.take_over:
        # What was seen may be the half-done start of another: then that one is what is in the way.
        wait_until_free(records, machine=ThisMachine(), monotonic=time.monotonic, sleep=time.sleep)
    _refuse(found)
    lease = acquire(
        records,
        take_over=around.take_over,
        machine=ThisMachine(),
        monotonic=time.monotonic,
        sleep=time.sleep,
    )
    try:
        # Again, now that nobody else can change it.
        _refuse(check_start(job, records, given_by_hand=given_by_hand))
    except HoldfastError:
        lease.release()
        raise
    return Prepared(job=job, records=records, lease=lease, started_ms=started_ms)


def refused(
    job: Job, error: HoldfastError, started_ms: int, secrets: frozenset[str] = frozenset()
) -> RunResult:
    """A job that was not started."""
    failure = of_error(error)
    ended_ms = now_ms()
    return RunResult(
        job=job.name,
        end="refused",
        epoch=None,
        query_id=None,
        batches=0,
        rows=0,
        last_batch=None,
        duration_ms=ended_ms - started_ms,
        cause=hide(failure.cause, secrets),
        next_action=hide(failure.next_action, secrets),
        code=failure.code,
        exit_code=failure.exit_code,
        started_ms=started_ms,
        ended_ms=ended_ms,
    )


def _refuse(found: Iterable[GuardFinding]) -> None:
    """Raise the first error by its code, and name the others: all have to be mended."""
    errors = _errors(found)
    if errors:
        first, *others = errors
        also = "".join(f"; also {other.code}: {other.message}" for other in others)
        raise GuardedError(first.code, f"{first.message}{also}", first.next_action)


def _errors(found: Iterable[GuardFinding]) -> list[GuardFinding]:
    return [finding for finding in found if finding.severity == "error"]
