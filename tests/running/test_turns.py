"""Jobs that run together, one reading what another writes: who begins when."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.core.job import Declaration, Job
from holdfast.core.running import backoff
from holdfast.core.running.event import RunEvent, Started
from holdfast.errors import UnreachableError, UsageError
from holdfast.flows.run import run
from holdfast.flows.supervise import StopSignal
from tests.running.fake_engine import FakeEngine, FakeQuery, declared

REPEATS = 20


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "FIRST_WAIT_S", 0.001)


def chained(base: str, *names: str) -> Declaration:
    """Each job reads what the one before it writes."""
    plain = declared(base, *names)
    jobs = [plain.jobs[0]]
    for job in plain.jobs[1:]:
        jobs.append(replace(job, source=replace(job.source, job=jobs[-1].name)))
    return replace(plain, jobs=tuple(jobs))


def test_a_job_begins_after_the_one_from_which_it_reads(tmp_path: Path) -> None:
    for repeat in range(REPEATS):
        begun: list[str] = []
        engine = FakeEngine({name: [FakeQuery()] for name in "abc"})
        slow = threading.Event()

        def begin(job: Job, begun: list[str] = begun, slow: threading.Event = slow) -> None:
            if job.name == "a":
                slow.wait(0.01)  # time for the others to be quicker, if they could
            begun.append(job.name)

        engine.on_start = begin
        declaration = chained(str(tmp_path / str(repeat)), "a", "b", "c")
        results = run(declaration, (), StopSignal(), once=False, engine=lambda _, e=engine: e)
        assert begun == ["a", "b", "c"]
        assert [result.end for result in results] == ["drained"] * 3


def test_a_job_whose_source_fails_goes_on_with_what_is_there(tmp_path: Path) -> None:
    engine = FakeEngine({"a": [UsageError("no such file")], "b": [FakeQuery(batches=1)]})
    declaration = chained(str(tmp_path / "ck"), "a", "b")
    results = run(declaration, (), StopSignal(), once=False, engine=lambda _: engine)
    assert [(result.end, result.batches) for result in results] == [("failed", 0), ("drained", 1)]


def test_a_source_that_is_away_for_long_keeps_nobody_waiting(tmp_path: Path) -> None:
    """The job that reads ends while the other one still waits for its broker."""
    stop = StopSignal()
    away = UnreachableError("the broker is away")
    engine = FakeEngine({"a": [away] * 10_000, "b": [FakeQuery(batches=1)]})

    def tell(event: RunEvent) -> None:
        if isinstance(event, Started) and event.job == "b":
            stop.event.set()

    declaration = chained(str(tmp_path / "ck"), "a", "b")
    results = run(declaration, (), stop, once=False, tell=tell, engine=lambda _: engine)
    assert results[0].end == "stopped" and results[0].restarts >= 1
    assert results[1].batches == 1


def test_a_stop_before_its_turn_ends_it_unbegun(tmp_path: Path) -> None:
    stop = StopSignal()
    engine = FakeEngine({"a": [FakeQuery()], "b": []}, on_start=lambda job: stop.event.set())
    declaration = chained(str(tmp_path / "ck"), "a", "b")
    results = run(declaration, (), stop, once=False, engine=lambda _: engine)
    assert (results[1].end, results[1].query_id) == ("stopped", None)


def test_without_the_other_job_nobody_waits(tmp_path: Path) -> None:
    engine = FakeEngine({"b": [FakeQuery(batches=1)]})
    declaration = chained(str(tmp_path / "ck"), "a", "b")
    (result,) = run(declaration, ("b",), StopSignal(), once=False, engine=lambda _: engine)
    assert (result.end, result.batches) == ("drained", 1)
