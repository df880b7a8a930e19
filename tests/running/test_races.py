"""Two starts of `run` at once: each job is run by exactly one of them."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from holdfast.adapters.records.opening import open_records
from tests.running.killing import Running, running
from tests.running.numbers_job import JOB, numbers_project, stored, until_committed
from tests.running.runner_process import JOBS

ROOT = Path(__file__).parent.parent.parent
RACES = 50
REAL_RACES = 2


class Runner:
    """A process of runner_process.py, and the two ends of the talk with it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def hear(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "it has ended"
        return line.strip()

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()


@contextmanager
def runner() -> Iterator[Runner]:
    command = [sys.executable, "-m", "tests.running.runner_process"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            started = Runner(process)
            assert started.hear() == "ready"
            yield started
        finally:
            process.kill()


def test_of_two_starts_at_once_exactly_one_runs_each_job(tmp_path: Path) -> None:
    wins: Counter[int] = Counter()
    with runner() as first, runner() as second:
        for race in range(RACES):
            base = str(tmp_path / f"race{race}")
            when = time.monotonic() + 0.02
            both = (first, second)
            for one in both:
                one.tell(f"run {base} {when}")
            heard = [sorted(one.hear() for _ in JOBS) for one in both]
            for job in JOBS:
                said = sorted(line for lines in heard for line in lines if line.startswith(job))
                assert said == [f"{job} HF021", f"{job} started 1"], heard
            wins.update(n for n, lines in enumerate(heard) for line in lines if "started" in line)
            for one in both:
                one.tell("end")
            assert [one.hear() for one in both] == ["ended", "ended"]
            runs = {job: set(open_records(f"{base}/{job}").names("runs")) for job in JOBS}
            assert all(f"{1:020d}.end" in names for names in runs.values())
            assert not any(f"{2:020d}.start" in names for names in runs.values())
    assert wins.total() == RACES * len(JOBS)


@pytest.mark.spark
@pytest.mark.timeout(1500)
def test_of_two_real_starts_at_once_exactly_one_runs(tmp_path: Path) -> None:
    for race in range(REAL_RACES):
        project = numbers_project(tmp_path / f"race{race}")
        with ExitStack() as stack:
            both = [stack.enter_context(running(project)) for _ in range(2)]
            winner = until_one_is_refused(both)
            loser = both[1 - both.index(winner)]
            assert loser.end() == 3
            [refused] = json.loads(loser.output)["result"]["jobs"]
            assert (refused["end"], refused["code"]) == ("refused", "HF021")
            assert f"pid {winner.pid}" in refused["cause"]
            until_committed(winner, project, 0)
            winner.process.send_signal(signal.SIGTERM)
            assert winner.end() == 0
            [job] = json.loads(winner.output)["result"]["jobs"]
            assert (job["job"], job["end"], job["epoch"]) == (JOB, "stopped", 1)
        assert stored(project) == Counter(range(20))


def until_one_is_refused(both: list[Running]) -> Running:
    """The one that goes on when the other has ended."""
    first, second = both
    first.until(
        lambda: first.process.poll() is not None or second.process.poll() is not None,
        "the end of one",
    )
    return second if first.process.poll() is not None else first
