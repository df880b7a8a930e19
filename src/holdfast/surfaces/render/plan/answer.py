"""`plan`, `apply` and `undo` as JSON."""

from dataclasses import asdict
from typing import Any

from holdfast.core.plans.plan import Plan
from holdfast.core.plans.step import Step
from holdfast.flows.operations.carrying import Carried

FILES_SHOWN_MAX = 100
"""Names of one step in an answer; the plan itself holds all."""


def plan_result(operation: str, plan: Plan, file: str | None) -> dict[str, Any]:
    """The result of the envelope; the plan itself is in its file."""
    return {
        "operation": plan.operation,
        "id": operation,
        "file": file,
        "job": plan.job,
        "query_id": plan.query_id,
        "made_at_ms": plan.made_at_ms,
        "steps": [_step(number, step) for number, step in enumerate(plan.steps, 1)],
        "requirements": [asdict(each) for each in plan.requirements],
        "movements": [asdict(each) for each in plan.movements],
        "sinks": [asdict(each) for each in plan.sinks],
        "downstream": list(plan.downstream),
        "untouched": list(plan.untouched),
        "accepted": [asdict(each) for each in plan.accepted],
        "notes": list(plan.notes),
        "files": plan.files,
        "size_bytes": plan.size_bytes,
        "next_command": plan.next_command,
    }


def carried_result(carried: Carried) -> dict[str, Any]:
    """The result of `apply` and `undo`."""
    return {
        "id": carried.operation,
        "operation": carried.plan.operation,
        "direction": carried.direction,
        "pass": carried.number,
        "steps": list(carried.steps),
        "steps_in_all": len(carried.plan.steps),
        "continued": carried.continued,
        "next_command": carried.plan.next_command if carried.direction == "do" else "",
    }


def _step(number: int, step: Step) -> dict[str, Any]:
    files = [mark.name for mark in getattr(step, "files", ())] or [getattr(step, "name", "")]
    return {
        "number": number,
        "kind": step.kind,
        "says": step.says,
        "undo": step.undo_says,
        "place": step.place,
        "files": [name for name in files[:FILES_SHOWN_MAX] if name],
    }
