"""Any order of batches, replays, takeovers and crashes ends with exactly the batch answer."""

from collections import Counter
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapters.sinks.sql import SqlSink, Step
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.errors import FencedError
from tests.sinks.sql_tables import QUERY, make_batch, opened, table_rows

STEPS: tuple[Step, ...] = ("begin", "rows", "mark", "commit", "committed")
ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab")), max_size=6)
ACTS = st.one_of(
    st.tuples(st.just("write"), st.none()),
    st.tuples(st.just("crash"), st.sampled_from(STEPS)),
    st.tuples(st.just("crash amid rows"), st.none()),
    st.tuples(st.just("replay"), st.integers(0, 5)),
    st.tuples(st.just("restart"), st.none()),
    st.tuples(st.just("zombie"), st.none()),
)


class CrashError(Exception):
    """The process is gone from here on."""


class World:
    """A query that restarts, and the drivers of earlier starts that may still be alive."""

    def __init__(self, path: Path, batches: list[list[tuple[int, str]]]) -> None:
        self.path = path
        self.batches = batches
        self.epoch = 0
        self.next_batch = 0
        self.crash_at: str | None = None
        self.zombies: list[tuple[SqlSink, int]] = []
        self.restart()

    def step(self, step: Step) -> None:
        if step == self.crash_at:
            raise CrashError

    def restart(self) -> None:
        if self.epoch:
            self.zombies.append((self.sink, self.epoch))
        self.epoch += 1
        self.sink = opened(self.path, self.epoch, steps=self.step, columns="id long, name string")
        # Spark replays a batch without a commit: the next one may be in the sink already.
        held = self.sink.last_batch(QUERY)
        assert held in (self.next_batch - 1, self.next_batch, None)

    def write(self, batch_id: int, sink: SqlSink | None = None, epoch: int | None = None) -> bool:
        batch = make_batch(
            batch_id,
            self.batches[batch_id],
            epoch=epoch or self.epoch,
            offsets={"0": {"end": batch_id}},
        )
        return (sink or self.sink).write(batch)

    def write_next(self) -> None:
        if self.next_batch < len(self.batches):
            self.write(self.next_batch)
            self.next_batch += 1

    def crash(self, step: str) -> None:
        if self.next_batch == len(self.batches):
            return
        held = self.sink.last_batch(QUERY) == self.next_batch
        self.crash_at = step
        if held and step != "begin":
            assert self.write(self.next_batch) is False
        else:
            with pytest.raises(CrashError):
                self.write(self.next_batch)
        self.crash_at = None
        self.restart()

    def crash_amid_rows(self) -> None:
        if self.next_batch == len(self.batches):
            return

        def rows() -> Any:
            yield from self.batches[self.next_batch]
            raise CrashError

        batch = make_batch(self.next_batch, [], epoch=self.epoch)
        object.__setattr__(batch, "rows", rows)
        if self.sink.last_batch(QUERY) != self.next_batch:
            with pytest.raises(CrashError):
                self.sink.write(batch)
        self.restart()

    def check(self) -> None:
        marks = read_ledger(str(self.path))
        assert [mark.batch_id for mark in marks] == list(range(len(marks)))
        rows = [row for batch in self.batches[: len(marks)] for row in batch]
        assert table_rows(self.path) == Counter(rows)


@settings(max_examples=150)
@given(batches=st.lists(ROWS, min_size=1, max_size=6), acts=st.lists(ACTS, max_size=14))
def test_any_history_ends_with_the_batch_answer(
    memory: Path, batches: list[list[tuple[int, str]]], acts: list[tuple[str, Any]]
) -> None:
    world = World(memory / f"{uuid4()}.db", batches)
    for act, detail in acts:
        match act:
            case "write":
                world.write_next()
            case "crash":
                world.crash(detail)
            case "crash amid rows":
                world.crash_amid_rows()
            case "replay" if detail < world.next_batch:
                assert world.write(detail) is False
            case "restart":
                world.restart()
            case "zombie":
                for sink, epoch in world.zombies:
                    with pytest.raises(FencedError):
                        world.write(min(world.next_batch, len(batches) - 1), sink, epoch)
        world.check()
    while world.next_batch < len(batches):
        world.write_next()
    assert table_rows(world.path) == Counter(row for batch in batches for row in batch)
    assert [mark.batch_id for mark in read_ledger(str(world.path))] == list(range(len(batches)))
