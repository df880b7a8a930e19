"""An audit for a program."""

from dataclasses import asdict
from typing import Any

from holdfast.audit.audit import Audited
from holdfast.core.crash.outcome import Outcome
from holdfast.core.microbatch import CRASH_POINTS
from holdfast.surfaces.render.audit.wording import holds_for


def audit_result(done: Audited, report: str | None = None) -> dict[str, Any]:
    """The `result` of the envelope; report is where the page in HTML lies."""
    return {
        "title": done.title,
        "folder": done.folder,
        "verdict": done.verdict.kind,
        "reasons": list(done.verdict.reasons),
        "points": len(done.points),
        "messages": done.messages,
        "killed": done.killed,
        "coverage": done.coverage,
        "kills": done.kills,
        "starts": done.starts,
        "batches": done.batches,
        "rows": done.rows,
        "left_out": list(done.left_out),
        "seed": done.seed,
        "duration_ms": done.duration_ms,
        "undisturbed": None if done.undisturbed is None else asdict(done.undisturbed),
        "holds_for": holds_for(done),
        "half_batches_watched": done.scope.sees_halves,
        "watched": done.watched,
        "ignored": list(done.scope.ignored),
        "versions": asdict(done.scope.versions),
        "report": report,
        "outcomes": [_outcome(done, outcome) for outcome in done.outcomes],
    }


def _outcome(done: Audited, outcome: Outcome) -> dict[str, Any]:
    point = outcome.point
    return {
        "point": point.number,
        "name": point.name,
        "stage": point.stage,
        "meaning": CRASH_POINTS[point.stage],
        "batch": point.batch,
        "operation": point.text,
        "fault": outcome.fault,
        "outcome": outcome.kind,
        "comparison": None if outcome.comparison is None else asdict(outcome.comparison),
        "examples": list(outcome.examples),
        "left": outcome.left,
        "detail": outcome.detail,
        "folder": outcome.folder or None,
        "again": done.replay(outcome),
    }
