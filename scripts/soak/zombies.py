"""Writers that are paused and wake up too late: 200 of them, on real servers.

    python -m scripts.soak.zombies [--trials 200] [--seed 1]

Each trial: a process writes batches under epoch 1, without an end. At a random moment it is paused
(SIGSTOP). Epoch 2 is opened, which must not wait for it, and goes on after the last batch that is
there. The first one wakes up, and must be refused. In the end every row is there exactly once.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from scripts.servers.mariadb import mariadb_server
from scripts.servers.postgres import postgres_server

from holdfast.adapters.outputs.opening import open_output
from holdfast.adapters.sinks.sql import SqlSink
from holdfast.core.running.batch import Batch
from holdfast.errors import FencedError

QUERY = "5d0f9a34-31f9-4a52-8a7f-3b2a1c0d9e8f"
ROWS = 30
FENCED = 3
LIMIT_S = 120.0
"""For a hang: nothing here takes a second."""


def rows_of(batch_id: int) -> list[tuple[int, int, str]]:
    return [(key, batch_id, f"{batch_id}/{key}") for key in range(ROWS)]


def make_sink(url: str, table: str, *, upsert: bool) -> SqlSink:
    options: dict[str, Any] = {"url": url, "table": table, "create": True}
    options["columns"] = "id int, batch int, text string"
    if upsert:
        options |= {"mode": "upsert", "key": ["id", "batch"], "version": "batch_v"}
        options["columns"] += ", batch_v int"
    return SqlSink.from_options(options)


def make_batch(sink: SqlSink, batch_id: int, epoch: int, *, upsert: bool, slow: bool) -> Batch:
    def rows() -> Iterator[tuple[Any, ...]]:
        for row in rows_of(batch_id):
            if slow:
                time.sleep(0.0005)  # so that many pauses fall amid the rows
            yield (*row, 1) if upsert else row

    return Batch(
        query_id=QUERY,
        sink=sink.name,
        batch_id=batch_id,
        epoch=epoch,
        columns=("id", "batch", "text", *(("batch_v",) if upsert else ())),
        rows=rows,
        offsets={"0": {"end": batch_id}},
    )


def write_for_ever(url: str, table: str, upsert: bool, told: Any) -> None:
    """The first writer; ends with a code that says whether it was refused."""
    sink = make_sink(url, table, upsert=upsert)
    sink.open(QUERY, 1)
    try:
        for batch_id in range(100_000):
            sink.write(make_batch(sink, batch_id, 1, upsert=upsert, slow=True))
            told.value = batch_id + 1
    except FencedError:
        os._exit(FENCED)
    os._exit(1)


def trial(url: str, reader: str, number: int, dice: random.Random) -> int:
    """One pause; how many batches there were. Raises AssertionError where one row is not once."""
    upsert, table = bool(number % 2), f"zombie_{number}"
    fork = multiprocessing.get_context("fork")
    told = fork.Value("l", 0)
    first = fork.Process(target=write_for_ever, args=(url, table, upsert, told))
    first.start()
    wanted, deadline = dice.randrange(1, 4), time.monotonic() + LIMIT_S
    while told.value < wanted:
        assert first.is_alive() and time.monotonic() < deadline, "the first writer did not write"
        time.sleep(0.001)
    time.sleep(dice.random() * 0.06)
    os.kill(first.pid or 0, signal.SIGSTOP)
    second = make_sink(url, table, upsert=upsert)
    second.open(QUERY, 2)  # while the other one may hold the ledger
    last = second.last_batch(QUERY)
    assert last is not None and last + 1 >= told.value, "a batch that was told is not there"
    for batch_id in (last + 1, last + 2):
        assert second.write(make_batch(second, batch_id, 2, upsert=upsert, slow=False)) is True
    os.kill(first.pid or 0, signal.SIGCONT)
    first.join(LIMIT_S)
    assert first.exitcode == FENCED, f"the first writer ended with {first.exitcode}"
    assert second.write(make_batch(second, last + 3, 2, upsert=upsert, slow=False)) is True
    found = open_output(f"{reader}:{url}?table={table}").read()
    columns = [found.columns.index(name) for name in ("id", "batch", "text")]
    counted = Counter(tuple(row[place] for place in columns) for row in found.rows)
    batches = range(last + 4)
    expected = Counter(
        (str(key), str(batch), f'"{text}"') for b in batches for key, batch, text in rows_of(b)
    )
    assert counted == expected, f"{table}: {counted - expected} too much, {expected - counted} lost"
    return len(batches)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    wishes = parser.parse_args()
    for name, start in (("postgres", postgres_server), ("mysql", mariadb_server)):
        dice = random.Random(wishes.seed)
        with start() as server:
            batches = sum(trial(server.url, name, n, dice) for n in range(wishes.trials))
        print(f"{name}: {wishes.trials} paused writers, {batches} batches, every row once")


if __name__ == "__main__":
    main()
