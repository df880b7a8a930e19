"""The engine that runs declared jobs on Spark."""

import os
import re
import threading
from collections.abc import Mapping

from pyspark.core.context import SparkContext
from pyspark.sql import SparkSession

from holdfast.adapters.sinks.opening import open_sink
from holdfast.adapters.spark.ledger_writer import LEASED, LedgerWriter
from holdfast.adapters.spark.lost import engine_alive
from holdfast.adapters.spark.query import (
    apply_transform,
    read_source,
    start_native,
    start_with_ledger,
)
from holdfast.adapters.spark.session import open_session
from holdfast.adapters.spark.shipping import send_to_cluster, show_to_workers_here
from holdfast.adapters.spark.started_query import SparkQuery
from holdfast.core.job import Declaration, Job
from holdfast.core.running.failure import cause_line, of_text
from holdfast.core.running.ports import Binding, NativeSink
from holdfast.errors import HoldfastError, UnreachableError, UsageError

_CLOSE_WITHIN_S = 30.0
"""How long the end of a session is waited for; Spark's own hooks go on after that."""

_NOTHING_THERE = re.compile(
    # Spark's own word; those of Delta for a folder that is empty, or no table yet
    r"PATH_NOT_FOUND|DELTA_(?:SCHEMA_NOT_SET|PATH_DOES_NOT_EXIST|TABLE_NOT_FOUND|MISSING_DELTA_TABLE)"
    r"|is not a Delta table"
)
"""What is said of a table that the job before has not made yet."""


class SparkEngine:
    """Implements core.running.ports.Engine: runs jobs in one session."""

    def __init__(self, declaration: Declaration, settings: Mapping[str, str]) -> None:
        """Start the session; `settings` go over those of the declaration."""
        self._folder = declaration.folder
        show_to_workers_here(self._folder)
        self._spark: SparkSession = open_session({**declaration.spark, **settings}, "holdfast")
        self.version = str(self._spark.version)
        self.pid = java_pid()
        transforms = any(job.transform for job in declaration.jobs)
        self._sent = send_to_cluster(self._spark, self._folder) if transforms else None

    def start(self, job: Job, *, once: bool, binding: Binding) -> SparkQuery:
        """Start one job's query."""
        with engine_alive():
            try:
                return self._start(job, once, binding)
            except (HoldfastError, ConnectionError, EOFError):
                raise
            except Exception as error:
                raise _not_started(job, error) from error

    def close(self) -> None:
        """End the session; a Java process that does not answer is left to its own hooks."""
        stopping = threading.Thread(target=_stop_quietly, args=(self._spark,), daemon=True)
        stopping.start()
        stopping.join(_CLOSE_WITHIN_S)
        if self._sent is not None:
            self._sent.cleanup()

    def _start(self, job: Job, once: bool, binding: Binding) -> SparkQuery:
        # The sink's options are checked before anything is started.
        sink = open_sink(job.sink.kind, job.sink.options)
        frame = apply_transform(read_source(self._spark, job.source), job.transform, self._folder)
        if isinstance(sink, NativeSink):
            return SparkQuery(start_native(frame, job, sink, once=once), frame)
        query = start_with_ledger(frame, job, LedgerWriter(sink), once=once)
        LEASED.bind(str(query.id), binding)
        return SparkQuery(query, frame)


def java_pid() -> int | None:
    """The Java process that runs the queries; under spark-submit it is the one that started us."""
    gateway = SparkContext._gateway
    process = getattr(gateway, "proc", None)
    if process is not None:
        return int(process.pid)
    return os.getppid() if "PYSPARK_GATEWAY_PORT" in os.environ else None


def _not_started(job: Job, error: Exception) -> HoldfastError:
    """A cause that can pass (a broker that is away) is no mistake in the declaration."""
    text = str(error)
    if job.source.job is not None and _NOTHING_THERE.search(text):
        return UnreachableError(
            f"{job.source.job}, from which it reads, has written nothing yet",
            subject=job.name,
            next_action=f"let {job.source.job} run; this job begins when there is a table",
        )
    said = of_text(text)
    message = f"the query did not start: {cause_line(text)}"
    if said.passing:
        return UnreachableError(message, subject=job.name, next_action=said.next_action)
    mend = "mend the declaration or the transform"
    if job.source.path is not None and _NOTHING_THERE.search(text):
        mend = f"put input into {job.source.path}, or mend `path` of the source"
    return UsageError(message, subject=job.name, next_action=mend)


def _stop_quietly(spark: SparkSession) -> None:
    try:
        spark.stop()
    except Exception:  # noqa: BLE001 - it is over either way: the Java process may have died
        return
