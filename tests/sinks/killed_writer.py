"""A process that makes writers, to be killed at any moment, and the batches that they write.

It reads one line for each writer, forks it and answers with its process id. The writer tells each
step that it reaches, and once it has ended, the status follows. Forking a process that has
imported everything takes milliseconds, so that many kills fit into a test.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from holdfast.adapters.sinks.sql import SqlSink, Step
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.core.running.batch import Batch
from holdfast.errors import FencedError
from tests.sinks.sql_tables import QUERY

FENCED = 33
LIFE_S = 60.0
"""No writer outlives a test that failed to kill or fence it."""
COLUMNS = ("id", "version", "text")
UPSERT: dict[str, Any] = {"mode": "upsert", "key": ("id",), "version": "version"}


def rows_of(batch_id: int) -> list[tuple[int, int, str]]:
    """Always the same rows for a batch; some repeat, and some batches are large."""
    chance = random.Random(batch_id)
    count = chance.choice((0, 1, 3, 40, 400, 3_000))
    rows = [
        (chance.randrange(500), batch_id * 10_000 + n, f"{batch_id}/{n}" * chance.choice((1, 20)))
        for n in range(count)
    ]
    return rows + rows[: count // 10]


def appended(last_batch: int) -> Counter[tuple[int, int, str]]:
    """What a table must hold, row by row with repetitions, after this batch."""
    return Counter(row for batch_id in range(last_batch + 1) for row in rows_of(batch_id))


def upserted(last_batch: int) -> Counter[tuple[int, int, str]]:
    """The newest row of each key after this batch; versions are unique but for equal rows."""
    newest: dict[int, tuple[int, int, str]] = {}
    for row in appended(last_batch):
        if row[0] not in newest or row[1] > newest[row[0]][1]:
            newest[row[0]] = row
    return Counter(newest.values())


def write_on(order: dict[str, Any]) -> None:
    """Continue after the last mark, as a restarted query does; replay it first, as Spark may."""

    def tell(step: Step) -> None:
        os.write(1, f"{step}\n".encode())
        if step == order.get("die_at"):
            os.kill(os.getpid(), signal.SIGKILL)

    extra = UPSERT if order["mode"] == "upsert" else {}
    columns = "id long, version long, text string"
    options = SqlSinkOptions(
        url=order["path"], table="events", create=True, columns=columns, **extra
    )
    sink = SqlSink(options, steps=tell)
    sink.open(QUERY, order["epoch"])
    last = sink.last_batch(QUERY)
    batch_id = 0 if last is None else last
    deadline = time.monotonic() + LIFE_S
    while time.monotonic() < deadline:
        sink.write(make_batch(batch_id, order))
        batch_id += 1


def make_batch(batch_id: int, order: dict[str, Any]) -> Batch:
    def rows() -> Iterator[tuple[int, int, str]]:
        for number, row in enumerate(rows_of(batch_id)):
            if number == order.get("die_at_row"):
                os.kill(os.getpid(), signal.SIGKILL)
            yield row

    return Batch(
        query_id=QUERY,
        sink="events",
        batch_id=batch_id,
        epoch=order["epoch"],
        columns=COLUMNS,
        rows=rows,
        offsets={"0": {"end": batch_id}},
    )


class Writers:
    """The process that makes writers, seen from a test."""

    def __init__(self) -> None:
        self._step = ""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.sinks.killed_writer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent.parent,
        )

    def start(self, path: Path, epoch: int, **order: Any) -> int:
        """The process id of a new writer."""
        assert self._process.stdin is not None
        settings = {"path": str(path), "epoch": epoch, "mode": "append", **order}
        print(json.dumps(settings), file=self._process.stdin, flush=True)
        self._step = ""
        return int(self._answer())

    def await_steps(self, count: int) -> None:
        """Wait until the writer has told of so many steps."""
        for _ in range(count):
            self._step = self._answer()
            assert not self._step.startswith("status")

    def status(self) -> tuple[int, str]:
        """Wait until the writer has ended: exit code, negative for a signal; and last step."""
        while not (answer := self._answer()).startswith("status"):
            self._step = answer
        return int(answer.removeprefix("status ")), self._step

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        assert answer, "the process that makes writers has died"
        return answer.strip()


def main() -> None:
    for line in sys.stdin:
        told, tell = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(tell)
                os.read(told, 1)  # the process id is told first
                write_on(json.loads(line))
            except FencedError:
                os._exit(FENCED)
            finally:
                os._exit(1)
        print(pid, flush=True)
        os.write(tell, b"!")
        os.close(told)
        os.close(tell)
        print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
