"""history: the runs of a job and its batches, newest first, without Spark."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.adapters.records.opening import open_records
from holdfast.adapters.storage.opening import shown
from holdfast.core.fact import Known
from holdfast.core.finding import Finding
from holdfast.core.recording.progress import by_batch
from holdfast.core.recording.segment import PROGRESS
from holdfast.core.recording.status import RunRecords, RunStatus, judge_earlier_run, judge_run
from holdfast.core.running.lease import Holder, Machine
from holdfast.core.running.ports import Records
from holdfast.errors import NotACheckpointError
from holdfast.flows.records.last_batches import LastBatches, last_batches
from holdfast.flows.records.run_records import about_damage, list_runs, read_epoch, read_runs
from holdfast.flows.records.segment_reading import read_segments
from holdfast.flows.status import Target, about_lines

_EVENTS_PER_BATCH = 4
_EVENTS_MIN = 200
"""Events that are read to find the newest batches: idle ones lie between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRun:
    """One run and how it ended."""

    records: RunRecords
    status: RunStatus
    holder: Holder | None
    """Who took its epoch, where no record of its start says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastBatch:
    """One batch; progress is None where nothing but its commit is known."""

    batch: int
    progress: Mapping[str, Any] | None
    committed_at_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHistory:
    """The answer of `history`, newest first."""

    name: str
    checkpoint: str
    runs: tuple[PastRun, ...]
    runs_in_all: int
    batches: tuple[PastBatch, ...]
    findings: tuple[Finding, ...]


def history(target: Target, machine: Machine, *, limit: int) -> JobHistory:
    """The newest runs and batches of a job, at most `limit` of each."""
    records = open_records(target.checkpoint)
    known = list_runs(records)
    epochs = sorted(known.epochs, reverse=True)[:limit]
    runs: list[PastRun] = []
    findings: list[Finding] = []
    for run in read_runs(records, known, epochs):
        runs.append(_judged(records, run, machine, findings, newest=run.epoch == known.newest))
        findings += about_damage(run)
    events = read_segments(records, PROGRESS, limit=max(_EVENTS_MIN, _EVENTS_PER_BATCH * limit))
    findings += about_lines(target.name, events.damaged)
    logs = last_batches(target.checkpoint, limit=limit)
    if not known.epochs and not logs.is_there and not target.declared:
        raise _nothing_there(target, logs)
    if logs.problem:
        text = f"{target.name}: its checkpoint could not be looked at: {logs.problem}"
        findings.append(Finding(code="HF131", message=text, path=shown(target.checkpoint)))
    return JobHistory(
        name=target.name,
        checkpoint=shown(target.checkpoint),
        runs=tuple(runs),
        runs_in_all=len(known.epochs),
        batches=_batches(by_batch(events.lines), logs, limit),
        findings=tuple(findings),
    )


def _judged(
    records: Records, run: RunRecords, machine: Machine, findings: list[Finding], *, newest: bool
) -> PastRun:
    """How a run ended; its lease is read where its own records do not tell."""
    if isinstance(run.end, Known) and isinstance(run.start, Known):
        return PastRun(records=run, status=run.end.value.end, holder=None)
    epoch, damage = read_epoch(records, run.epoch)
    findings += damage
    holder = epoch.holder if epoch else None
    if not newest:
        return PastRun(records=run, status=judge_earlier_run(run.end), holder=holder)
    here = holder is not None and holder.shares_place(machine.me())
    alive = machine.is_alive(holder) if holder is not None and here else None
    status = judge_run(epoch, run.end, here=here, alive=alive)
    if status == "never-run":
        status = "unknown"  # it ran, and its lease file cannot be read
    return PastRun(records=run, status=status, holder=holder)


def _batches(
    events: Mapping[int, Mapping[str, Any]], logs: LastBatches, limit: int
) -> tuple[PastBatch, ...]:
    newest = sorted({*events, *logs.committed_at_ms}, reverse=True)[:limit]
    return tuple(
        PastBatch(
            batch=batch,
            progress=events.get(batch),
            committed_at_ms=logs.committed_at_ms.get(batch),
        )
        for batch in newest
    )


def _nothing_there(target: Target, logs: LastBatches) -> NotACheckpointError:
    return NotACheckpointError(
        f"there is no history: {logs.problem or 'no record of a run, and no batch'}",
        subject=shown(target.checkpoint),
        next_action="check the location",
    )
