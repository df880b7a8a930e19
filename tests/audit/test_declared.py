"""Declared jobs on trial: our sinks and Spark's own are acquitted, whatever happens to them."""

import os
import sys
from pathlib import Path

import pytest

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.audit.audit import Audited, Wishes
from holdfast.audit.begin import Subject, begin
from holdfast.core.crash.event import tell_nobody
from holdfast.core.crash.fault import FaultName
from tests.audit.declared_project import JOB, write_project

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(gate_obstacle() is not None, reason=f"no gate: {gate_obstacle()}"),
    pytest.mark.timeout(600),
]
CORE_POINTS = ("K7", "K10")
"""Before the sink commits, and between its commit and Spark's."""


def audited(
    folder: Path,
    sink: str,
    wishes: Wishes,
    *,
    transform: str | None = None,
    read: str | None = None,
) -> Audited:
    file = write_project(folder / "project", sink, transform=transform)
    subject = Subject(job=JOB, file=str(file), read=read)
    environ = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    place = str(folder / "audit")
    return begin(subject, folder=place, wishes=wishes, environ=environ, tell=tell_nobody)


def outcomes(done: Audited) -> list[tuple[str, str, str]]:
    return [(each.point.stage, each.fault, each.kind) for each in done.outcomes]


@pytest.mark.parametrize("sink", ["sqlite-append", "sqlite-upsert", "file", "files"])
def test_a_sink_that_keeps_its_word_is_not_convicted(sink: str, tmp_path: Path) -> None:
    wishes = Wishes(points=CORE_POINTS, quick=True, seed=7, run_twice=False)
    done = audited(tmp_path, sink, wishes)
    assert outcomes(done) == [(stage, "kill", "exact") for stage in sorted_stages(done)]
    assert {each.point.stage for each in done.outcomes} == set(CORE_POINTS)
    assert done.rows == (40 if sink == "sqlite-upsert" else 60)


def sorted_stages(done: Audited) -> list[str]:
    return [each.point.stage for each in done.outcomes]


FAULTS: tuple[FaultName, ...] = ("disk-full", "io-error", "read-only", "power-cut", "pause")


def test_other_faults_than_kills_harm_nothing_either(tmp_path: Path) -> None:
    wishes = Wishes(points=("K10",), runs=1, seed=1, faults=FAULTS, run_twice=False)
    done = audited(tmp_path, "sqlite-upsert", wishes)
    found = {each.fault: each.kind for each in done.outcomes}
    assert set(found) == set(FAULTS)
    assert set(found.values()) <= {"exact", "detected"}
    assert {found[fault] for fault in FAULTS if fault != "power-cut"} == {"exact"}


def test_what_is_not_repeatable_convicts_and_the_time_of_a_batch_does_not(tmp_path: Path) -> None:
    wishes = Wishes(points=("K10",), runs=1)
    done = audited(tmp_path, "file", wishes, transform="with_uuid_and_time")
    assert done.left_out == ("at", "u"), "they differ from run to run"
    assert [each.kind for each in done.outcomes] == ["exact"], "the other columns do not"
    assert done.verdict.kind == "convicted"
    assert done.verdict.reasons == ("one batch, run twice, gives other rows: u",)


def test_without_a_gate_the_job_is_watched_and_what_was_left_is_checked(tmp_path: Path) -> None:
    wishes = Wishes(points=("K10",), runs=1, watch=True, run_twice=False)
    done = audited(tmp_path, "sqlite-append", wishes)
    assert done.watched is not None
    (outcome,) = done.outcomes
    assert outcome.kind in ("exact", "missed")
    assert not outcome.is_bad
    assert done.verdict.kind == "unknown"
