"""The engine that runs declared jobs on Spark."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from holdfast.adapters.sinks.sql import SqlSink
from holdfast.adapters.spark.query import (
    LedgerWriter,
    apply_transform,
    is_native,
    read_source,
    start_native,
    start_with_ledger,
)
from holdfast.adapters.spark.session import open_session
from holdfast.core.job import Declaration, Job
from holdfast.errors import HoldfastError, UsageError


class SparkQuery:
    """A started streaming query."""

    def __init__(self, query: StreamingQuery) -> None:
        """Wrap it."""
        self._query = query

    @property
    def id(self) -> str:
        """The id in the checkpoint's metadata."""
        return str(self._query.id)

    def is_active(self) -> bool:
        """Whether it still runs."""
        return bool(self._query.isActive)

    def is_busy(self) -> bool:
        """Whether a batch is running right now."""
        return bool(self._query.status.get("isTriggerActive"))

    def stop(self) -> None:
        """End it; the batch that runs is given up, which harms nothing."""
        self._query.stop()

    def failure(self) -> str | None:
        """Why it ended, None where it ended well."""
        error = self._query.exception()
        return None if error is None else _cause(str(error))

    def progress(self) -> list[Mapping[str, Any]]:
        """The progress events that Spark still has, by their own names."""
        return [_as_mapping(item) for item in self._query.recentProgress]


class SparkEngine:
    """Runs jobs in one session."""

    def __init__(self, declaration: Declaration) -> None:
        """Start the session."""
        self._folder = declaration.folder
        self._spark: SparkSession = open_session(declaration.spark, "holdfast")

    @property
    def master(self) -> str:
        """The Spark master."""
        return str(self._spark.sparkContext.master)

    def start(self, job: Job, *, once: bool, epoch: int, check: Callable[[], None]) -> SparkQuery:
        """Start one job's query."""
        try:
            frame = apply_transform(
                read_source(self._spark, job.source), job.transform, self._folder
            )
            if is_native(job.sink):
                return SparkQuery(start_native(frame, job, once=once))
            sink = _ledger_sink(job)
            writer = LedgerWriter(sink, sink.name, epoch, check)
            return SparkQuery(start_with_ledger(frame, job, writer, once=once))
        except HoldfastError:
            raise
        except Exception as error:
            raise UsageError(
                f"the query did not start: {_cause(str(error))}",
                subject=job.name,
                next_action="mend the declaration or the transform",
            ) from error

    def close(self) -> None:
        """End the session."""
        self._spark.stop()


def _ledger_sink(job: Job) -> SqlSink:
    if job.sink.kind != "sql":
        raise UsageError(
            f"no sink is called {job.sink.kind!r}",
            subject=job.name,
            next_action="use file, delta or sql",
        )
    return SqlSink.from_options(job.sink.options)


def _as_mapping(item: Any) -> Mapping[str, Any]:
    if isinstance(item, Mapping):
        return item
    value: Mapping[str, Any] = json.loads(item.json)
    return value


def _cause(text: str) -> str:
    """The line that says why, out of Spark's many."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith(("Caused by:", "holdfast.", "py4j"))]
    chosen = next((c for c in causes if "holdfast.errors" in c), lines[0] if lines else "unknown")
    return chosen[:400]
