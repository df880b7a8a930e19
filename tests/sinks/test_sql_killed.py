"""Real processes, really killed: after each kill the table is what the marks say, exactly."""

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.adapters.sinks.row_digest import RowDigest
from holdfast.adapters.sinks.sql_ledger import read_ledger
from tests.sinks.killed_writer import (
    COLUMNS,
    FENCED,
    UPSERT,
    Writers,
    appended,
    make_batch,
    rows_of,
    upserted,
)
from tests.sinks.sql_tables import QUERY, execute, opened, table_rows

KILLS = {"append": 30, "upsert": 15}
LARGE = next(batch_id for batch_id in range(100) if len(rows_of(batch_id)) > 3_000)


@pytest.fixture
def writers() -> Iterator[Writers]:
    made = Writers()
    yield made
    made.close()


def check(path: Path, mode: str) -> int:
    """The table equals the multiset of the marked batches; the last mark, -1 for none."""
    marks = read_ledger(str(path), "events")
    assert [mark.batch_id for mark in marks] == list(range(len(marks)))
    last = len(marks) - 1
    for mark in marks:
        digest = RowDigest(COLUMNS)
        for row in rows_of(mark.batch_id):
            digest.add(row)
        assert (mark.rows, mark.digest) == (digest.rows, digest.hex())
    tables = execute(path, "SELECT name FROM sqlite_master WHERE name = 'events'")
    if tables or marks:
        assert table_rows(path) == (appended(last) if mode == "append" else upserted(last))
    assert execute(path, "PRAGMA integrity_check") == [("ok",)]
    return last


@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_killed_at_random_moments(tmp_path: Path, writers: Writers, mode: str) -> None:
    path = tmp_path / "events.db"
    execute(path, "PRAGMA user_version = 1")
    chance = random.Random(20_240_229)
    seen = []
    amid = 0
    for epoch in range(1, KILLS[mode] + 1):
        pid = writers.start(path, epoch, mode=mode)
        writers.await_steps(chance.randrange(13))
        # A random moment is the point here; nothing is hoped to have happened by then.
        time.sleep(chance.uniform(0.0, 0.03))
        os.kill(pid, signal.SIGKILL)
        code, step = writers.status()
        assert code == -signal.SIGKILL
        amid += step in ("begin", "rows", "mark", "commit")
        seen.append(check(path, mode))
    assert amid > 0, "some writers died with a transaction open"
    assert seen == sorted(seen), "what was marked stays marked"
    assert seen[-1] > 0, "writers did get somewhere"
    settings = UPSERT if mode == "upsert" else {}
    sink = opened(path, KILLS[mode] + 1, **settings)
    for batch_id in range(seen[-1] + 3):
        wrote = sink.write(make_batch(batch_id, {"epoch": KILLS[mode] + 1}))
        assert wrote is (batch_id > seen[-1])
    assert check(path, mode) == seen[-1] + 2


@pytest.mark.parametrize("mode", ["append", "upsert"])
@pytest.mark.parametrize("step", ["begin", "rows", "mark", "commit", "committed"])
def test_killed_at_each_step(tmp_path: Path, writers: Writers, mode: str, step: str) -> None:
    path = tmp_path / "events.db"
    for epoch in range(1, 5):
        writers.start(path, epoch, mode=mode, die_at=step)
        assert writers.status()[0] == -signal.SIGKILL
        last = check(path, mode)
        # The restarted writer replays the last batch first, which tells of "begin" only.
        assert last == (epoch - 1 if step == "committed" else -1)


@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_killed_amid_the_rows_of_a_batch(tmp_path: Path, writers: Writers, mode: str) -> None:
    path = tmp_path / "events.db"
    for epoch in range(1, 4):
        writers.start(path, epoch, mode=mode, die_at_row=2_500)
        assert writers.status()[0] == -signal.SIGKILL
        assert check(path, mode) == LARGE - 1


def test_of_two_processes_the_lower_epoch_is_fenced(tmp_path: Path, writers: Writers) -> None:
    path = tmp_path / "events.db"
    writers.start(path, 1)
    writers.await_steps(15)
    sink = opened(path, 2)
    held = check(path, "append")
    assert sink.write(make_batch(held, {"epoch": 2})) is False
    for batch_id in range(held + 1, held + 6):
        assert sink.write(make_batch(batch_id, {"epoch": 2}))
    assert writers.status()[0] == FENCED
    assert check(path, "append") == held + 5
    epochs = [mark.epoch for mark in read_ledger(str(path))]
    assert epochs == [1] * (held + 1) + [2] * 5
    assert sink.last_batch(QUERY) == held + 5
