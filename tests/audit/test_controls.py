"""What is wrong is convicted, by the crash point that is meant for it; what is right is not.

A sample of the points here; `make soak` kills at all of them (docs/audit.md has the figures).
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.audit.audit import Audited, Wishes
from holdfast.audit.begin import Subject, begin
from holdfast.core.crash.event import tell_nobody

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(gate_obstacle() is not None, reason=f"no gate: {gate_obstacle()}"),
]
JOB = Path(__file__).with_name("stock_job.py")
SQLITE = "sqlite:{work}/out.db?table=t"


@dataclass(frozen=True)
class Control:
    """A job that is wrong, and the stage that shows it."""

    kind: str
    read: str
    stage: str
    outcome: str
    whole_batches: bool = False


CONTROLS = [
    Control("plain-append", SQLITE, "K9", "wrong"),
    Control("delete-insert", SQLITE, "K9", "torn", whole_batches=True),
    Control("late-commit", SQLITE, "K11", "wrong"),
    Control("early-return", SQLITE, "K9", "stuck"),
    Control("parquet-append", "parquet:{work}/out", "K9", "wrong"),
    Control("file-sink", "parquet:{work}/out", "K7", "wrong"),
]


def audited(control: Control, folder: Path, *, stage: str, runs: int = 1) -> Audited:
    subject = Subject(
        command=f"{sys.executable} {JOB} {control.kind} {{work}}",
        checkpoint="{work}/checkpoint",
        read=control.read,
        whole_batches=control.whole_batches,
    )
    wishes = Wishes(points=(stage,), runs=runs, seed=2026, run_twice=False)
    environ = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    return begin(subject, folder=str(folder), wishes=wishes, environ=environ, tell=tell_nobody)


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.kind)
def test_a_faulty_job_is_convicted_by_its_crash_point(control: Control, tmp_path: Path) -> None:
    done = audited(control, tmp_path / "audit", stage=control.stage)
    assert done.verdict.kind == "convicted"
    (outcome,) = done.outcomes
    assert outcome.kind == control.outcome
    if control.outcome == "wrong":
        rows = outcome.comparison
        assert rows is not None
        assert (rows.lost > 0) == (control.kind == "late-commit")
        assert (rows.duplicated > 0) == (control.kind != "late-commit")
        assert outcome.examples
    if control.kind == "early-return":
        assert "CheckpointInfo length" in outcome.detail
