"""`rehearse` as JSON."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from holdfast.audit.rehearse import Rehearsed
from holdfast.core.recording.progress import batch_of, duration_ms, whole

ROWS_SHOWN_MAX = 5
"""Rows of data in an answer; all are in the folder."""


def rehearse_result(done: Rehearsed) -> dict[str, Any]:
    """The result of the envelope."""
    return {
        "job": done.job,
        "folder": done.folder,
        "starts": done.starts,
        "verdict": done.verdict.answer,
        "findings": [asdict(each) for each in done.verdict.findings],
        "end": done.end.end if done.end else None,
        "cause": done.end.cause if done.end else done.last_words,
        "code": done.end.code if done.end else "",
        "first_batch": done.first_batch,
        "batches": [batch_result(event) for event in done.batches],
        "columns": list(done.written.columns),
        "rows": len(done.written.rows),
        "sample": [list(row) for row in done.written.rows[:ROWS_SHOWN_MAX]],
        "untouched": not done.changed,
        "changed": list(done.changed),
        "was_running": done.was_running,
    }


def batch_result(event: Mapping[str, Any]) -> dict[str, Any]:
    """One batch in few words."""
    return {
        "batch": batch_of(event),
        "rows_in": whole(event, "numInputRows"),
        "duration_ms": duration_ms(event),
    }
