"""The JSON of `history`."""

from typing import Any

from holdfast.core.fact import Known
from holdfast.core.running.run import RunStart
from holdfast.flows.history import JobHistory, PastBatch, PastRun
from holdfast.surfaces.render.status_json import end_json, progress_json


def history_result(found: JobHistory) -> dict[str, Any]:
    """The `result` of the envelope."""
    return {
        "job": found.name,
        "checkpoint": found.checkpoint,
        "runs_in_all": found.runs_in_all,
        "runs": [_run(run) for run in found.runs],
        "batches": [_batch(batch) for batch in found.batches],
    }


def _run(run: PastRun) -> dict[str, Any]:
    records, holder = run.records, run.holder
    start = records.start.value if isinstance(records.start, Known) else None
    return {
        "epoch": records.epoch,
        "status": run.status,
        "started_ms": start.started_ms if start else holder.started_ms if holder else None,
        "host": start.host if start else holder.host if holder else None,
        "pid": start.pid if start else holder.pid if holder else None,
        "user": start.user if start else holder.user if holder else None,
        **_made_with(start),
        "end": end_json(records.end.value) if isinstance(records.end, Known) else None,
        "restarts": [
            {
                "number": fact.value.number,
                "at_ms": fact.value.at_ms,
                "code": fact.value.code,
                "cause": fact.value.cause,
                "wait_ms": fact.value.wait_ms,
            }
            for fact in records.restarts
            if isinstance(fact, Known)
        ],
    }


def _made_with(start: RunStart | None) -> dict[str, Any]:
    return {
        "profile": start.profile if start else None,
        "master": start.master if start else None,
        "once": start.once if start else None,
        "take_over": start.take_over if start else None,
        "spark_version": start.spark_version if start else None,
        "holdfast_version": start.holdfast_version if start else None,
        "code_revision": start.code_revision if start else None,
    }


def _batch(batch: PastBatch) -> dict[str, Any]:
    return {
        "batch": batch.batch,
        "committed_at_ms": batch.committed_at_ms,
        "progress": None if batch.progress is None else progress_json(batch.progress),
    }
