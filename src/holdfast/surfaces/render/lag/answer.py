"""The JSON of `lag`."""

from typing import Any

from holdfast.core.evidence.source_state import (
    PartState,
    SourceState,
    lag_records_total,
    lag_total,
    sameness,
    time_behind,
    time_left,
)
from holdfast.core.fact import Fact, Known
from holdfast.flows.sources.lag import Lag


def lag_result(found: Lag) -> dict[str, Any]:
    """The `result` of the envelope."""
    mirrored = found.mirrored
    return {
        "job": found.name,
        "checkpoint": found.checkpoint,
        "batch": found.batch,
        "asked_at_ms": found.now_ms,
        "sources": [_source(state, found.now_ms) for state in found.sources],
        "mirrored": None
        if mirrored is None
        else {"group": mirrored.group, "partitions": mirrored.partitions},
    }


def _source(state: SourceState, now_ms: int) -> dict[str, Any]:
    return {
        "position": state.position,
        "kind": state.kind,
        "where": state.where,
        "counts": state.counts,
        "lag": lag_total(state),
        "lag_records": lag_records_total(state),
        "same": sameness(state),
        "identity": _value(state.identity),
        "stored_identity": _value(state.stored_identity),
        "problem": None if state.problem is None else state.problem.reason,
        "parts": [_part(part, now_ms) for part in state.parts],
        "files": {
            "checked": state.checked_count,
            "missing": state.missing_count,
            "altered": state.altered_count,
            "needed": state.needed_count,
            "missing_names": list(state.missing),
            "altered_names": list(state.altered),
        },
        "notes": list(state.notes),
    }


def _part(part: PartState, now_ms: int) -> dict[str, Any]:
    left = time_left(part, now_ms)
    return {
        "name": part.name,
        "stored": part.stored,
        "earliest": part.earliest,
        "latest": part.latest,
        "readable": part.stored_is_readable,
        "lost": part.lost,
        "lag": part.lag,
        "lag_records": part.lag_records,
        "stored_at_ms": part.stored_at_ms,
        "behind_ms": time_behind(part, now_ms),
        "retention_ms": part.retention_ms,
        "left_ms": left if isinstance(left, int) else None,
        "left_unknown": None if isinstance(left, int) else left,
    }


def _value(fact: Fact[str]) -> str | None:
    return fact.value if isinstance(fact, Known) else None
