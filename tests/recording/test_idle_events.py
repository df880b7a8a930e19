"""Idle events bear the id of the batch to come: they are no batches, and hide none."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.spark.started_query import SparkQuery
from holdfast.flows.run import run
from holdfast.flows.supervise import StopSignal
from tests.recording.events import event, idle
from tests.running.fake_engine import FakeEngine, FakeQuery, declared


@dataclass
class ToldQuery(FakeQuery):
    """Reports exactly what it is told to, one event for each look."""

    events: list[Mapping[str, Any]] = field(default_factory=list)

    def fresh(self) -> Sequence[Mapping[str, Any]]:
        return [self.events.pop(0)] if self.events else ()


def test_an_idle_event_is_not_counted_as_a_batch(tmp_path: Path) -> None:
    events = [event(0), idle(1), event(1), idle(2)]
    query = ToldQuery(events=list(events), looks_until_end=len(events))
    (result,) = run(
        declared(str(tmp_path / "checkpoints"), "a"),
        (),
        StopSignal(),
        once=False,
        tell=lambda said: None,
        engine=lambda _: FakeEngine({"a": [query]}),
    )
    assert (result.batches, result.rows, result.last_batch) == (2, 20, 1)


class JavaProgress:
    """A progress as Spark's Java object gives it."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._value = value

    def batchId(self) -> int:
        return int(self._value["batchId"])

    def json(self) -> str:
        return json.dumps(self._value)


class JavaQuery:
    """As much of Spark's Java query as asking for progress takes."""

    def __init__(self) -> None:
        self.events: list[Mapping[str, Any]] = []

    def lastProgress(self) -> JavaProgress | None:
        return JavaProgress(self.events[-1]) if self.events else None

    def recentProgress(self) -> list[JavaProgress]:
        return [JavaProgress(value) for value in self.events]


@pytest.mark.parametrize("between", [[], [1]], ids=["both at once", "one by one"])
def test_batches_after_an_idle_event_are_all_seen(between: list[int]) -> None:
    java = JavaQuery()
    query = SparkQuery.__new__(SparkQuery)
    query._java, query._seen, query._last_text = java, -1, ""
    seen: list[Mapping[str, Any]] = []
    for step in ([event(0)], [idle(1)], *([event(n)] for n in between)):
        java.events += step
        seen += query.fresh()
    java.events += [event(n) for n in (1, 2) if n not in between]
    seen += query.fresh()
    assert [e["batchId"] for e in seen if e["numInputRows"]] == [0, 1, 2]
