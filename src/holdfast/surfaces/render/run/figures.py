"""The figures of a query that runs, out of Spark's progress, under Spark's own names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.core.recording.progress import lags


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One batch as a row."""

    batch: int
    rows: int
    rows_per_second: float | None
    duration_ms: int
    lag: str
    committed_at: str
    """As Spark says it: the start of the batch, ISO 8601 in UTC."""


def figures_of(progress: Mapping[str, Any]) -> Figures:
    """Take what the table shows; a field that Spark did not report is left blank."""
    rate = progress.get("processedRowsPerSecond")
    return Figures(
        batch=int(progress["batchId"]),
        rows=int(progress.get("numInputRows", 0)),
        rows_per_second=float(rate) if isinstance(rate, int | float) else None,
        duration_ms=int(progress.get("batchDuration", 0)),
        lag=lag_of(progress),
        committed_at=str(progress.get("timestamp", "")),
    )


def lag_of(progress: Mapping[str, Any]) -> str:
    """How far behind the sources the query is, where they say it."""
    return ", ".join(f"{int(lag.amount):,} {lag.counts}" for lag in lags(progress))
