"""An engine of which a test is the master. Not Spark: for what the runner does around a query."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from holdfast.core.job import Declaration, Job, SinkSpec, SourceSpec, TriggerSpec
from holdfast.core.running.failure import Failure
from holdfast.core.running.ports import Binding, PlanFacts
from holdfast.errors import HoldfastError

QUERY_ID = "11111111-2222-3333-4444-555555555555"
NEVER = 10**9


def job_named(name: str, base: str) -> Job:
    return Job(
        name=name,
        source=SourceSpec(format="rate", path=None, schema=None, options={}, job=None),
        transform=None,
        sink=SinkSpec(kind="file", options={"path": f"{base}-data/{name}"}),
        trigger=TriggerSpec(kind="processing-time", interval="1 second"),
        output_mode="append",
        checkpoint=f"{base}/{name}",
    )


def declared(base: str, *names: str, secrets: frozenset[str] = frozenset()) -> Declaration:
    return Declaration(
        path="holdfast.yaml",
        folder=base,
        profile="test",
        base=base,
        jobs=tuple(job_named(name, base) for name in names),
        spark={},
        secrets=secrets,
    )


@dataclass
class FakeQuery:
    """Goes through its batches, one for each look, and then ends as it was told."""

    batches: int = 1
    failing: Failure | None = None
    looks_until_end: int = 0
    id: str = QUERY_ID
    first: int = 0
    busy: bool = False
    stopped: bool = False
    looks: int = 0
    given: int = 0
    seen: list[str] = field(default_factory=list)

    def wait(self, seconds: float) -> bool:
        self.looks += 1
        return self.stopped or self.looks > max(self.looks_until_end, 0)

    def is_busy(self) -> bool:
        return self.busy

    def stop(self) -> None:
        self.seen.append("stop")
        self.stopped = True

    def failure(self) -> Failure | None:
        return self.failing

    def fresh(self) -> Sequence[Mapping[str, Any]]:
        if self.given >= self.batches:
            return ()
        batch = self.first + self.given
        self.given += 1
        return [
            {"batchId": batch, "numInputRows": 10, "durationMs": {"addBatch": 5}, "sources": []}
        ]

    def facts(self, settings: Sequence[str]) -> PlanFacts:
        return PlanFacts(
            sources=("rate",), stateful=(), unrepeatable=(), settings={}, versions={"spark": "0"}
        )


@dataclass
class FakeEngine:
    """Hands out queries in order: for each job a list of queries or errors."""

    scripts: dict[str, list[FakeQuery | HoldfastError]]
    version: str = "0"
    pid: int | None = None
    closed: bool = False
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    on_start: Callable[[Job], None] = lambda job: None

    def start(self, job: Job, *, once: bool, binding: Binding) -> FakeQuery:
        self.bindings.setdefault(job.name, []).append(binding)
        self.on_start(job)
        following = self.scripts[job.name].pop(0)
        if isinstance(following, HoldfastError):
            raise following
        return following

    def close(self) -> None:
        self.closed = True
