"""The JSON of `status`."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from holdfast.core.fact import Known
from holdfast.core.recording.progress import (
    batch_of,
    began_ms,
    duration_ms,
    is_idle,
    lags,
    number,
    whole,
)
from holdfast.core.running.run import RunResult
from holdfast.flows.status import JobStatus, Status


def status_result(found: Status) -> dict[str, Any]:
    """The `result` of the envelope."""
    return {"jobs": [_job(job) for job in found.jobs]}


def progress_json(progress: Mapping[str, Any]) -> dict[str, Any]:
    """What matters of a progress event, in our words; the event itself is in the records."""
    return {
        "batch": batch_of(progress),
        "began_ms": began_ms(progress),
        "idle": is_idle(progress),
        "rows": whole(progress, "numInputRows"),
        "input_rows_per_second": number(progress, "inputRowsPerSecond"),
        "processed_rows_per_second": number(progress, "processedRowsPerSecond"),
        "duration_ms": duration_ms(progress),
        "lag": [asdict(lag) for lag in lags(progress)],
    }


def end_json(end: RunResult) -> dict[str, Any]:
    """How a run ended."""
    return {
        "end": end.end,
        "ended_ms": end.ended_ms or None,
        "duration_ms": end.duration_ms,
        "batches": end.batches,
        "rows": end.rows,
        "last_batch": end.last_batch,
        "code": end.code,
        "cause": end.cause,
        "next_action": end.next_action,
    }


def _job(job: JobStatus) -> dict[str, Any]:
    batches, holder, run = job.batches, job.holder, job.run
    committed = batches.committed
    committed_at = None if committed is None else batches.committed_at_ms.get(committed)
    return {
        "job": job.name,
        "checkpoint": job.checkpoint,
        "status": job.status,
        "epoch": job.epoch,
        "holder": None
        if holder is None
        else {
            "host": holder.host,
            "pid": holder.pid,
            "user": holder.user,
            "since_ms": holder.started_ms,
            "here": job.holder_is_here,
            "beats": job.beats,
        },
        "last_planned": batches.planned,
        "last_committed": committed,
        "committed_at_ms": committed_at,
        "in_flight": batches.in_flight,
        "progress": None if job.progress is None else progress_json(job.progress),
        "restarts": job.restarts,
        "end": end_json(run.end.value) if run and isinstance(run.end, Known) else None,
        "cause": job.cause,
        "next_command": job.next_command,
    }
