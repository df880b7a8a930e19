"""Evidence for cases: a sound checkpoint, and whatever a case changes about it."""

from dataclasses import replace
from typing import Any

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.logs import Commit, LogRange, Plan, SourceSpan
from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.evidence.source_state import PartState, SourceState
from holdfast.core.evidence.state import BatchRange, Operator, Store
from holdfast.core.fact import Absent, Known
from holdfast.core.goal import Goal
from holdfast.core.rules.judging import judge
from holdfast.core.rules.registry import all_rules
from holdfast.core.verdict import RuleFinding, Verdict

QUERY = "4b41c017-66c9-4266-832e-b7bdca059b6e"
LOCATION = "/data/checkpoints/orders"


def log(newest: int | None, oldest: int = 0) -> LogRange:
    """A log without holes."""
    count = 0 if newest is None else newest - oldest + 1
    first = None if newest is None else oldest
    return LogRange(oldest=first, newest=newest, count=count, holes=(), hole_count=0)


def plan(batch: int, **changes: Any) -> Plan:
    """The plan of a batch that reads one Kafka topic."""
    source = SourceSpan(
        position=0,
        name=None,
        kind="kafka",
        start=f'{{"t":{{"0":{batch * 100}}}}}',
        end=f'{{"t":{{"0":{(batch + 1) * 100}}}}}',
        amount=100,
        unit="records",
        identity=None,
    )
    sound = Plan(
        batch=batch,
        version=1,
        timestamp_ms=1_794_770_817_626,
        watermark_ms=0,
        conf={"spark.sql.shuffle.partitions": "2"},
        sources=(source,),
    )
    return replace(sound, **changes)


def commit(batch: int, *, ids: bool = False) -> Commit:
    """The commit of a batch; with ids it is of state format 2."""
    return Commit(batch=batch, version=2 if ids else 1, next_watermark_ms=0, has_state_ids=ids)


def operator(
    *,
    name: str = "stateStoreSave",
    loadable: tuple[tuple[int, int], ...] = ((0, 7),),
    **changes: Any,
) -> Operator:
    """A stateful operator whose state is in order."""
    sound = Operator(
        operator_id=0,
        name=Known(name, "state/0/_metadata/metadata"),
        metadata_version=1,
        partitions=2,
        stores=(Store(name="default"),),
        provider="hdfs",
        loadable=tuple(BatchRange(first=first, last=last) for first, last in loadable),
        newest_version=8,
        paths_outside=(),
    )
    return replace(sound, **changes)


def source(**changes: Any) -> SourceState:
    """A topic that has everything, and is the one that it was."""
    sound = SourceState(
        position=0,
        kind="kafka",
        where="broker/t",
        counts="records",
        identity=Known("t=id", "kafka"),
        stored_identity=Known("t=id", "records"),
        parts=(PartState(name="t/0", stored=800, earliest=0, latest=900, lag=100),),
    )
    return replace(sound, **changes)


def memory(last: int | None, **changes: Any) -> SinkMemory:
    """What a Delta table remembers of the query."""
    sound = SinkMemory(
        sink="/data/tables/orders",
        kind="delta",
        exists=True,
        key=Known(QUERY, "_delta_log"),
        last=Absent("_delta_log") if last is None else Known(last, "_delta_log"),
        skips="at-or-below",
        table_id=Known("11111111-2222-3333-4444-555555555555", "_delta_log"),
    )
    return replace(sound, **changes)


def evidence(newest: int = 7, **changes: Any) -> Evidence:
    """A checkpoint whose newest batch is committed, and a sink that holds the same batches."""
    sound = Evidence(
        location=LOCATION,
        taken_at_ms=1_794_770_900_000,
        query_id=Known(QUERY, "metadata"),
        offsets=log(newest),
        commits=log(newest),
        plan=Known(plan(newest), f"offsets/{newest}"),
        previous_plan=Known(plan(newest - 1), f"offsets/{newest - 1}"),
        commit=Known(
            Commit(batch=newest, version=1, next_watermark_ms=0, has_state_ids=False),
            f"commits/{newest}",
        ),
        in_flight=None,
        restart_kind="next",
        restart_batch=newest + 1,
        restart_text=f"A restart goes on with batch {newest + 1}; nothing is done again.",
        death=None,
        operators=(),
        seen=(),
        files=20,
        size_bytes=4_000,
        verified=0,
        sinks=(memory(newest),),
        sources=(source(),),
        said_stateless=True,
    )
    return replace(sound, **changes)


def in_flight(newest: int = 7, **changes: Any) -> Evidence:
    """A checkpoint whose newest batch was planned and not committed."""
    given = {
        "commits": log(newest - 1),
        "commit": Known(
            Commit(batch=newest - 1, version=1, next_watermark_ms=0, has_state_ids=False),
            f"commits/{newest - 1}",
        ),
        "in_flight": newest,
        "restart_kind": "rerun",
        "restart_batch": newest,
        "restart_text": f"A restart runs batch {newest} again over exactly the same input.",
        "death": "it died after the plan, before the commit",
        "sinks": (memory(newest - 1),),
        **changes,
    }
    return evidence(newest, **given)


def judged(given: Evidence, goal: Goal = "resume") -> Verdict:
    """The verdict of all rules together."""
    return judge(given, goal, all_rules())


def found(given: Evidence, code: str, goal: Goal = "resume") -> tuple[RuleFinding, ...]:
    """What the rule of this code says."""
    return tuple(each for each in judged(given, goal).findings if each.code == code)
