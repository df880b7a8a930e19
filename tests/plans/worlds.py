"""Copies of golden checkpoints, and everything below a folder as digests."""

import hashlib
import shutil
from pathlib import Path

import pytest

from holdfast.core.plans.hazard import HAZARDS
from holdfast.core.plans.plan import Plan
from holdfast.errors import RefusedError, UsageError
from holdfast.flows.evidence import Asked
from holdfast.flows.operations import carrying
from holdfast.flows.operations.replay import plan_replay
from holdfast.flows.operations.retry import plan_retry
from holdfast.flows.operations.viewing import View, view

ALL = tuple(HAZARDS)


def copied(checkpoint: Path, tmp_path: Path) -> Path:
    target = tmp_path / "base" / "job"
    shutil.copytree(checkpoint, target)
    return target


def digests(folder: Path) -> dict[str, str]:
    """Every file below, hidden ones too."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def looked(checkpoint: Path, *, sinks: tuple[str, ...] = ("none",), accept=ALL) -> View:
    asked = Asked(target=str(checkpoint), sinks=sinks)
    return view(asked, accept)


def newest_replay(checkpoint: Path) -> Plan | None:
    """A plan that does the newest batch again, None where that cannot be."""
    seen = looked(checkpoint)
    newest = seen.taken.evidence.offsets.newest
    try:
        return plan_replay(seen, newest) if newest else None
    except (RefusedError, UsageError):
        return None


def retry(checkpoint: Path) -> Plan | None:
    try:
        return plan_retry(looked(checkpoint))
    except RefusedError:
        return None


def stop_within(plan: Plan, stop_at: int, half: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Carry out a plan and stop it before or after one of its steps, counted from 1."""
    real = carrying.carry_out
    calls = []

    def stopping(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == stop_at and half == "before":
            raise KeyboardInterrupt
        real(*arguments)  # type: ignore[arg-type]
        if len(calls) == stop_at and half == "after":
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(carrying, "carry_out", stopping)
        carrying.apply_plan(plan)
