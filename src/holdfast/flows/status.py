"""status: how declared jobs are doing, from our records and their checkpoints, without Spark."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from holdfast.adapters.records.opening import open_records
from holdfast.adapters.storage.opening import shown
from holdfast.core.fact import Absent, Known
from holdfast.core.finding import Finding
from holdfast.core.recording.segment import PROGRESS
from holdfast.core.recording.status import BAD, RunRecords, RunStatus, judge_run
from holdfast.core.running.lease import Epoch, Holder, Machine, beat_name, read_beat
from holdfast.core.running.ports import Records
from holdfast.errors import HoldfastError
from holdfast.flows.records.last_batches import LastBatches, last_batches
from holdfast.flows.records.run_records import about_damage, list_runs, read_epoch, read_runs
from holdfast.flows.records.segment_reading import read_segments

_WORKERS = 16
"""Jobs that are looked at together; each takes some ten requests in a store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A job to look at: its name as people type it, and where its checkpoint is."""

    name: str
    checkpoint: str
    declared: bool
    """Whether a declaration names it; else it is known by its checkpoint alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatus:
    """How one job is doing."""

    name: str
    checkpoint: str
    status: RunStatus
    batches: LastBatches
    epoch: int | None = None
    holder: Holder | None = None
    holder_is_here: bool = False
    beats: int | None = None
    """How often the holder has renewed its lease; it moves while the holder lives."""
    run: RunRecords | None = None
    restarts: int = 0
    progress: Mapping[str, Any] | None = None
    """The newest progress event, by Spark's own field names."""
    next_command: str = ""
    findings: tuple[Finding, ...] = ()
    error: HoldfastError | None = field(default=None, compare=False)
    """Why its records could not be looked at."""

    @property
    def cause(self) -> str:
        """Why it ended as it did, empty where nothing is to be said."""
        if self.run is not None and isinstance(self.run.end, Known):
            return self.run.end.value.cause
        return self.error.message if self.error is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The answer of `status`."""

    location: str
    """The declaration, or the checkpoint that was named."""
    jobs: tuple[JobStatus, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything odd about the records and checkpoints of the jobs."""
        return tuple(finding for job in self.jobs for finding in job.findings)

    @property
    def is_bad(self) -> bool:
        """Whether a job ended badly."""
        return any(job.status in BAD for job in self.jobs)


def status(location: str, targets: tuple[Target, ...], machine: Machine) -> Status:
    """Look at every target; raises the first error where none of them could be looked at."""
    with ThreadPoolExecutor(max_workers=_WORKERS) as pool:
        jobs = list(pool.map(lambda target: job_status(target, machine), targets))
    errors = [job.error for job in jobs if job.error is not None]
    if errors and len(errors) == len(jobs):
        raise errors[0]
    return Status(location=location, jobs=tuple(jobs))


def job_status(target: Target, machine: Machine) -> JobStatus:
    """How one job is doing; an error of its store is kept in the answer."""
    try:
        return _look(target, open_records(target.checkpoint), machine)
    except HoldfastError as error:
        text = f"{target.name}: {error.message}"
        return JobStatus(
            name=target.name,
            checkpoint=shown(target.checkpoint),
            status="unreachable",
            batches=LastBatches(),
            next_command=error.next_action,
            findings=(Finding(code="HF131", message=text, path=error.subject),),
            error=error,
        )


def _look(target: Target, records: Records, machine: Machine) -> JobStatus:
    known = list_runs(records)
    number = known.newest
    batches = last_batches(target.checkpoint)
    if number is None:
        return JobStatus(
            name=target.name,
            checkpoint=shown(target.checkpoint),
            status="never-run",
            batches=batches,
            next_command=_next(target, "never-run"),
            findings=_about_checkpoint(target, batches, ran=False),
        )
    epoch, damage = read_epoch(records, number)
    [run] = read_runs(records, known, [number])
    here = epoch is not None and epoch.holder.shares_place(machine.me())
    judged = _status(epoch, run, here, machine)
    events = read_segments(records, PROGRESS, limit=1)
    return JobStatus(
        name=target.name,
        checkpoint=shown(target.checkpoint),
        status=judged,
        batches=batches,
        epoch=number,
        holder=epoch.holder if epoch else None,
        holder_is_here=here,
        beats=read_beat(records.read(beat_name(number))),
        run=run,
        restarts=len(known.restarts.get(number, ())),
        progress=events.lines[-1] if events.lines else None,
        next_command=_next(target, judged),
        findings=(
            *damage,
            *about_damage(run),
            *about_lines(target.name, events.damaged),
            *_about_checkpoint(target, batches, ran=isinstance(run.start, Known)),
        ),
    )


def _status(epoch: Epoch | None, run: RunRecords, here: bool, machine: Machine) -> RunStatus:
    if epoch is None and isinstance(run.end, Absent):
        return "unknown"  # there is a lease file, and it cannot be read
    alive = machine.is_alive(epoch.holder) if epoch is not None and here else None
    return judge_run(epoch, run.end, here=here, alive=alive)


def about_lines(name: str, damaged: int) -> list[Finding]:
    """A finding where lines of progress had to be passed over."""
    if not damaged:
        return []
    lines = "1 line" if damaged == 1 else f"{damaged:,} lines"
    text = f"{name}: {lines} of progress cannot be read"
    return [Finding(code="HF130", message=text, path=PROGRESS)]


def _about_checkpoint(target: Target, batches: LastBatches, *, ran: bool) -> tuple[Finding, ...]:
    if batches.problem:
        text = f"{target.name}: its checkpoint could not be looked at: {batches.problem}"
    elif ran and not batches.is_there:
        text = f"{target.name}: it has run, and no batch is in its checkpoint"
    else:
        return ()
    return (Finding(code="HF131", message=text, path=shown(target.checkpoint)),)


def _next(target: Target, judged: RunStatus) -> str:
    """The command that fits; a job that is not declared can only be looked at."""
    if judged in ("running", "elsewhere"):
        return f"holdfast status {target.name} --watch"
    if judged in ("failed", "refused", "fenced", "unknown"):
        return f"holdfast history {target.name}"
    if not target.declared:
        return f"holdfast show {target.name}"
    return f"holdfast run {target.name}"
