"""A holder that was paused, or of which only a half is left: it writes nothing, nothing is lost."""

import json
import os
import signal
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.records.opening import open_records
from tests.running.killing import Running, name_of, running
from tests.running.numbers_job import (
    JOB,
    held_in_a_batch,
    in_flight,
    marks,
    numbers_project,
    stored,
    until_committed,
)

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1500)]

BOTH = Counter([*range(20), *range(100, 120)])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return numbers_project(tmp_path / "project")


@contextmanager
def in_a_batch(project: Path) -> Iterator[Running]:
    """A run whose batch 0 is done and whose batch 1 cannot end while this lasts."""
    with running(project) as run:
        until_committed(run, project, 0)
        with held_in_a_batch(run, project, 1, first=100):
            yield run


def job_of(run: Running) -> dict[str, Any]:
    [job] = json.loads(run.output)["result"]["jobs"]
    return dict(job)


def end_record(project: Path, epoch: int) -> dict[str, Any]:
    content = open_records(str(project / "checkpoints" / JOB)).read(f"runs/{epoch:020d}.end")
    assert content is not None
    return dict(json.loads(content))


def drain(project: Path, *arguments: str) -> dict[str, Any]:
    with running(project, "--once", *arguments) as run:
        assert run.end() == 0, (run.talk, run.output)
        return job_of(run)


def test_a_paused_holder_wakes_after_a_take_over_and_writes_nothing(project: Path) -> None:
    with running(project) as old:
        until_committed(old, project, 0)
        with held_in_a_batch(old, project, 1, first=100):
            old.signal_group(signal.SIGSTOP)
        # Without being told to, nobody takes it from a holder whose process is there.
        with running(project, "--once") as refused:
            assert refused.end() == 3
            assert (job_of(refused)["code"], job_of(refused)["end"]) == ("HF021", "refused")
        new = drain(project, "--take-over")
        assert (new["end"], new["epoch"]) == ("drained", 2)
        before = (stored(project), marks(project))
        assert before[0] == BOTH
        old.signal_group(signal.SIGCONT)
        assert old.end() == 3, (old.talk, old.output)
    job = job_of(old)
    assert (job["end"], job["code"], job["epoch"]) == ("fenced", "HF022", 1)
    assert end_record(project, 1)["end"] == "fenced"
    # Not a row, not a mark of the old one after the take-over.
    assert (stored(project), marks(project)) == before
    assert [(mark.batch_id, mark.epoch) for mark in marks(project)] == [(0, 1), (1, 2)]
    assert in_flight(project) is None
    drain(project)
    assert stored(project) == BOTH


def test_java_that_outlives_python_is_waited_for(project: Path) -> None:
    """Only Python is killed, and Java is kept alive: it could still write."""
    with in_a_batch(project) as run:
        java = run.java_pid()
        os.kill(java, signal.SIGSTOP)
        os.kill(run.pid, signal.SIGKILL)
        run.process.wait()
    try:
        with running(project, "--once") as refused:
            assert refused.end() == 3
            job = job_of(refused)
            assert job["code"] == "HF021"
            assert f"not that of Spark, pid {java}" in job["cause"]
    finally:
        os.kill(java, signal.SIGCONT)
    # It ends by itself now, and this start waits for that.
    assert drain(project)["epoch"] == 2
    assert name_of(java) != "java"
    assert stored(project) == BOTH


def test_a_start_right_after_python_was_killed_loses_nothing(project: Path) -> None:
    with in_a_batch(project) as run:
        java = run.java_pid()
        os.kill(run.pid, signal.SIGKILL)
        run.process.wait()
    assert drain(project)["end"] == "drained"
    assert name_of(java) != "java"
    assert stored(project) == BOTH


def test_a_killed_java_is_named_and_the_next_start_works(project: Path) -> None:
    with running(project) as run:
        until_committed(run, project, 0)
        with held_in_a_batch(run, project, 1, first=100):
            os.kill(run.java_pid(), signal.SIGKILL)
        assert run.end() == 2, (run.talk, run.output)
    job = job_of(run)
    assert (job["end"], job["code"]) == ("failed", "HF024")
    assert "Java" in job["cause"] and job["next_action"]
    assert end_record(project, 1)["code"] == "HF024"
    assert drain(project)["end"] == "drained"
    assert stored(project) == BOTH


def test_a_kill_while_the_first_plan_is_written_keeps_nobody_from_starting(project: Path) -> None:
    [waiting] = (project / "in").iterdir()
    aside = waiting.rename(project / waiting.name)
    with running(project) as run:
        run.until_said(": started, query")
        run.kill()
    plan = project / "checkpoints" / JOB / "offsets" / f".0.{uuid.uuid4()}.tmp"
    plan.parent.mkdir(exist_ok=True)
    plan.write_text("v1\n")
    aside.rename(waiting)
    assert drain(project)["end"] == "drained"
    assert stored(project) == Counter(range(20)) and not plan.exists()
    archive = project / "checkpoints" / "_holdfast" / JOB / "archive"
    assert [path.name for path in archive.glob("*/offsets/*")] == [plan.name]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_the_batch_finish(project: Path, number: int) -> None:
    with running(project) as run:
        until_committed(run, project, 0)
        with held_in_a_batch(run, project, 1, first=100):
            os.kill(run.pid, number)
            run.until_said("stopping after the batch that runs")
        assert run.end() == 0, (run.talk, run.output)
    assert (job_of(run)["end"], job_of(run)["last_batch"]) == ("stopped", 1)
    assert end_record(project, 1)["end"] == "stopped"
    assert in_flight(project) is None
    assert stored(project) == BOTH


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_at_once_and_the_next_start_works(project: Path, second: int) -> None:
    with in_a_batch(project) as run:
        os.kill(run.pid, signal.SIGTERM)
        run.until_said("stopping after the batch that runs")
        os.kill(run.pid, second)
        assert run.end() == 130
        assert in_flight(project) == 1
    assert drain(project)["epoch"] == 2
    assert stored(project) == BOTH
