"""Queries for cases: one that ran, and whatever a case changes about the one that is to start."""

from dataclasses import replace
from typing import Any

from holdfast.core.evidence.around import Query, QuerySource
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.state import Operator, Store
from holdfast.core.fact import Absent, Fact, Known
from holdfast.core.running.state_shape import StateShape
from tests.rules.made_up import evidence

AGGREGATE = "Aggregate: sensor"
SHAPE = StateShape(
    kind="Aggregate",
    keys=("sensor: STRING",),
    values=("count(1): BIGINT",),
    made_by=(),
)


def source(position: int = 0, provider: str = "kafka", **options: str) -> QuerySource:
    """A source; a Kafka topic unless told."""
    given = options or {"subscribe": "t", "kafka.bootstrap.servers": "b:9092"}
    return QuerySource(position=position, provider=provider, options=given)


def query(**changes: Any) -> Query:
    """A query without state from one topic into a Delta table, analysed."""
    sound = Query(
        origin="made up",
        sources=(source(),),
        stateful=(),
        output_mode="append",
        sink_kind="delta",
        sink_place="/data/tables/orders",
        transform="orders:clean",
        trigger="5 seconds",
        unpinned={"spark.sql.session.timeZone": "UTC"},
        pinned={"spark.sql.shuffle.partitions": "2"},
        spark="4.2.0",
        code_revision="aaaa",
        shapes=(),
    )
    return replace(sound, **changes)


def operator(name: str | None = "stateStoreSave", number: int = 0) -> Operator:
    """A stateful operator on storage."""
    place = f"state/{number}/_metadata/metadata"
    named: Fact[str] = Absent(place) if name is None else Known(name, place)
    return Operator(
        operator_id=number,
        name=named,
        metadata_version=None if name is None else 1,
        partitions=2,
        stores=(Store(name="default"),),
        provider="hdfs",
        loadable=(),
        newest_version=8,
        paths_outside=(),
    )


def counting(**changes: Any) -> Query:
    """A query that counts by sensor."""
    return query(**{"stateful": (AGGREGATE,), "shapes": (SHAPE,), **changes})


def compared(before: Query | None, after: Query | None, **changes: Any) -> Evidence:
    """A sound checkpoint with what ran and what is to start."""
    last = Absent("runs") if before is None else Known(before, "runs/1")
    upcoming = Absent("nobody said") if after is None else Known(after, "--against q:f")
    return evidence(last_query=last, next_query=upcoming, **changes)


def counted(after: Query, before: Query | None = None, **changes: Any) -> Evidence:
    """The same for a checkpoint with the state of one aggregation."""
    given = {"operators": (operator(),), **changes}
    return compared(counting() if before is None else before, after, **given)
