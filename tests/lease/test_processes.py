"""Real processes on a real disk: races, kills, stops."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.records.opening import open_records
from holdfast.core.running.lease import epoch_name, newest_number, read_holder
from holdfast.errors import LeaseHeldError
from holdfast.flows.lease import Lease, acquire

ROOT = Path(__file__).parent.parent.parent
RACES = 50
S3_RACES = 20
KILLS = 12
S3_CONTENDERS = 4


class Contender:
    """A process of tests/lease/contender.py, and the two ends of the talk with it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.lease.contender"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def ask(self, line: str) -> str:
        self.tell(line)
        return self.hear()

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@contextmanager
def contender() -> Iterator[Contender]:
    started = Contender()
    try:
        assert started.hear() == "ready"
        yield started
    finally:
        started.end()


def start(checkpoint: str, *, take_over: bool = False) -> Lease:
    return acquire(
        open_records(checkpoint),
        take_over=take_over,
        machine=ThisMachine(),
        monotonic=time.monotonic,
        sleep=time.sleep,
    )


@pytest.fixture
def local_checkpoint(tmp_path: Path) -> str:
    return str(tmp_path / "ck")


def test_of_two_processes_that_start_at_once_one_wins(tmp_path: Path) -> None:
    wins = {0: 0, 1: 0}
    with contender() as a, contender() as b:
        for race in range(RACES):
            checkpoint = str(tmp_path / f"ck{race}")
            when = time.monotonic() + 0.02
            a.tell(f"take {checkpoint} {when}")
            b.tell(f"take {checkpoint} {when}")
            answers = [a.hear(), b.hear()]
            assert sorted(answers)[1] == "epoch 1", answers
            winner = answers.index("epoch 1")
            assert answers[1 - winner].startswith("HF021 ")
            assert f"pid {(a, b)[winner].process.pid} on " in answers[1 - winner]
            assert (a, b)[winner].ask("check") == "ok"
            assert newest_number(open_records(checkpoint).names("lease"), "") == 1
            wins[winner] += 1
    assert sum(wins.values()) == RACES


def test_a_killed_holder_frees_at_once(local_checkpoint: str) -> None:
    with contender() as holder:
        assert holder.ask(f"take {local_checkpoint}") == "epoch 1"
        with pytest.raises(LeaseHeldError, match=f"pid {holder.process.pid} on "):
            start(local_checkpoint)
        holder.process.send_signal(signal.SIGKILL)
        # Not reaped yet: what is left of it cannot write.
        limit = time.monotonic() + 10
        while "Z" not in Path(f"/proc/{holder.process.pid}/stat").read_text().split(")")[1][:3]:
            assert time.monotonic() < limit
        began = time.monotonic()
        with start(local_checkpoint) as lease:
            assert lease.epoch == 2
            assert time.monotonic() - began < 2
            lease.check()


def test_a_holder_that_was_reaped_frees_at_once(local_checkpoint: str) -> None:
    with contender() as holder:
        assert holder.ask(f"take {local_checkpoint}") == "epoch 1"
    began = time.monotonic()
    with start(local_checkpoint) as lease:
        assert lease.epoch == 2
    assert time.monotonic() - began < 2


def test_a_stopped_holder_keeps_it_until_taken_over_and_then_finds_out(
    local_checkpoint: str,
) -> None:
    with contender() as holder:
        assert holder.ask(f"take {local_checkpoint}") == "epoch 1"
        assert holder.ask("check") == "ok"
        holder.process.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(LeaseHeldError):
                start(local_checkpoint)
            with contender() as newer:
                assert newer.ask(f"take-over {local_checkpoint}") == "epoch 2"
                assert newer.ask("check") == "ok"
                holder.process.send_signal(signal.SIGCONT)
                answer = holder.ask("check")
                assert answer.startswith("HF022 ")
                assert f"pid {newer.process.pid} on " in answer
                assert holder.ask("release") == "released False"
                assert newer.ask("check") == "ok"
        finally:
            holder.process.send_signal(signal.SIGCONT)


def test_a_clean_end_frees_at_once(local_checkpoint: str) -> None:
    with contender() as holder:
        assert holder.ask(f"take {local_checkpoint}") == "epoch 1"
        assert holder.ask("release") == "released True"
        with start(local_checkpoint) as lease:
            assert lease.epoch == 2


def test_one_process_does_not_take_it_twice(local_checkpoint: str) -> None:
    with start(local_checkpoint), pytest.raises(LeaseHeldError, match=f"pid {os.getpid()} "):
        start(local_checkpoint)


def test_kills_at_any_moment_leave_whole_files_and_rising_epochs(local_checkpoint: str) -> None:
    """A holder killed while it takes the lease, or shortly after: the next start always works."""
    records = open_records(local_checkpoint)
    highest = 0
    for attempt in range(KILLS):
        with contender() as victim:
            victim.tell(f"take {local_checkpoint}")
            time.sleep(attempt * 0.0005)
            victim.process.kill()
            victim.process.wait()
        names = records.names("lease")
        number = newest_number(names, records.location)
        assert number >= highest
        for each in range(1, number + 1):
            data = records.read(epoch_name(each))
            assert data is not None
            read_holder(data, epoch_name(each))
        highest = number
    with start(local_checkpoint) as lease:
        assert lease.epoch == highest + 1


@pytest.mark.server
def test_of_four_that_start_at_once_on_s3_one_wins(s3_checkpoint: str) -> None:
    for race in range(S3_RACES):
        checkpoint = f"{s3_checkpoint}{race}"
        gate = threading.Barrier(S3_CONTENDERS)
        won: list[Lease] = []
        lost: list[LeaseHeldError] = []

        def contend(
            checkpoint: str = checkpoint,
            gate: threading.Barrier = gate,
            won: list[Lease] = won,
            lost: list[LeaseHeldError] = lost,
        ) -> None:
            records = open_records(checkpoint)
            gate.wait()
            try:
                won.append(
                    acquire(
                        records,
                        machine=ThisMachine(),
                        monotonic=time.monotonic,
                        sleep=time.sleep,
                    )
                )
            except LeaseHeldError as error:
                lost.append(error)

        threads = [threading.Thread(target=contend) for _ in range(S3_CONTENDERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(won), len(lost)) == (1, S3_CONTENDERS - 1)
        assert won[0].epoch == 1
        won[0].check()
        assert won[0].release()
