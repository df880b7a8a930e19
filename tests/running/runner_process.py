"""A process that runs declared jobs with a fake engine, told what to do by lines on its input.

    run <base> <when>    one line for each of its jobs: `<job> started <epoch>` or `<job> <code>`
    end                  ends those that run; `ended`

`when` is a time of the monotonic clock, which all processes of a machine share. What it starts runs
until it is told to end, so that of two at once the second never comes after the first.
"""

import sys
import threading
import time
from pathlib import Path

from holdfast.core.job import Job
from holdfast.core.running.event import Ended, RunEvent, Started
from holdfast.flows.run import run
from holdfast.flows.supervise import StopSignal
from tests.running.fake_engine import QUERY_ID, FakeEngine, FakeQuery, declared

JOBS = ("a", "b", "c")
_LOOK_S = 0.01
_ONE_AT_A_TIME = threading.Lock()


class Endless(FakeQuery):
    """A query that runs until it is stopped."""

    def wait(self, seconds: float) -> bool:
        time.sleep(_LOOK_S)
        return self.stopped


def say(event: RunEvent) -> None:
    """Called from the threads of the jobs, so a line goes out in one piece."""
    with _ONE_AT_A_TIME:
        if isinstance(event, Started):
            print(f"{event.job} started {event.epoch}", flush=True)
        elif isinstance(event, Ended) and event.result.end == "refused":
            print(f"{event.result.job} {event.result.code}", flush=True)


def leave_id(job: Job) -> None:
    """What Spark leaves in a checkpoint before the start of a query returns."""
    folder = Path(job.checkpoint)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metadata").write_text(f'{{"id":"{QUERY_ID}"}}')


def begin(base: str, when: float, stop: StopSignal) -> threading.Thread:
    engine = FakeEngine({job: [Endless(batches=0)] for job in JOBS}, on_start=leave_id)

    def work() -> None:
        declaration = declared(base, *JOBS)
        while time.monotonic() < when:
            pass
        run(declaration, (), stop, once=False, tell=say, engine=lambda _: engine)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def main() -> None:
    print("ready", flush=True)
    stop, thread = StopSignal(), threading.Thread()
    for line in sys.stdin:
        words = line.split()
        if words[0] == "run":
            stop = StopSignal()
            thread = begin(words[1], float(words[2]), stop)
        else:
            stop.event.set()
            thread.join()
            print("ended", flush=True)


if __name__ == "__main__":
    main()
