"""The function for foreachBatch that writes micro-batches into a sink with a ledger."""

import importlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pyspark.sql import DataFrame

from holdfast.adapters.batch_ranges import BatchRanges
from holdfast.adapters.sinks.delta_merge import computed_once
from holdfast.adapters.sinks.step_files import announcer
from holdfast.adapters.spark.on_executors import on_parts, workers_load
from holdfast.adapters.spark.row_order import sorted_by_place
from holdfast.adapters.spark.zoned_values import zoned_row
from holdfast.adapters.surroundings.process_environment import variables
from holdfast.core.running.batch import Batch
from holdfast.core.running.ports import BatchSink, Binding
from holdfast.errors import HoldfastError, RefusedError

_BY_ARROW = "holdfast.adapters.spark.columns"
"""Loaded by name: Arrow takes a tenth of a second to import, which jobs without a ledger, and the
moment before Java is started, need not pay."""

BOUND_WITHIN_S = 120.0
"""How long the first batch waits to be told under which lease it runs. The start of a query returns
before its first batch ends, so this is seconds at most."""


class LeasedQueries:
    """Which queries of this process run under a lease, by their id.

    A query's id is known only once it has started, and its first batch may come before that: it
    waits here until it is told.
    """

    def __init__(self) -> None:
        """None runs yet."""
        self._changed = threading.Condition()
        self._bindings: dict[str, Binding] = {}
        self._errors: dict[str, HoldfastError] = {}

    def bind(self, query_id: str, binding: Binding) -> None:
        """Say under which lease a query runs; a newer start of it takes the place of an older."""
        with self._changed:
            self._bindings[query_id] = binding
            self._errors.pop(query_id, None)
            self._changed.notify_all()

    def binding(self, query_id: str, sink: str) -> Binding:
        """The lease of a query; raises RefusedError where it was started without one."""
        with self._changed:
            self._changed.wait_for(lambda: query_id in self._bindings, BOUND_WITHIN_S)
            found = self._bindings.get(query_id)
        if found is None:
            raise RefusedError(
                "this sink writes only under a lease, and the query was started without one",
                subject=sink,
                next_action="start the query with holdfast.start(writer, …)",
            )
        return found

    def failed(self, query_id: str, error: HoldfastError) -> None:
        """Keep what ended a batch, which Spark hands on as text alone."""
        with self._changed:
            self._errors[query_id] = error

    def error(self, query_id: str) -> HoldfastError | None:
        """What our sink raised in the last batch of a query."""
        with self._changed:
            return self._errors.get(query_id)


LEASED = LeasedQueries()


STREAM_CORES_MAX = 4
"""Cores up to which one stream through the driver, for which Spark computes two partitions at a
time, is not slower than executors that write side by side."""


class LedgerWriter:
    """Writes each batch exactly once, under the lease of the query that calls it."""

    def __init__(self, sink: BatchSink) -> None:
        """Nothing is opened before the first batch."""
        self._sink = sink
        self._open_for: Binding | None = None
        self._ranges: BatchRanges | None = None
        self._loaded: dict[tuple[str, ...], bool] = {}
        self._few_cores = False
        self._announce = announcer(variables())
        if self._announce is not None and hasattr(sink, "listen"):
            sink.listen(self._announce)

    def __call__(self, frame: DataFrame, batch_id: int) -> None:
        """Write one batch exactly once."""
        # Set by StreamExecution on the thread of the query, which waits for us meanwhile.
        query_id = str(frame.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId"))
        try:
            self._write(frame, batch_id, query_id)
        except HoldfastError as error:
            LEASED.failed(query_id, error)
            raise

    def _write(self, frame: DataFrame, batch_id: int, query_id: str) -> None:
        binding = LEASED.binding(query_id, self._sink.name)
        binding.check()
        if self._open_for is not binding:
            if hasattr(self._sink, "bind"):
                self._sink.bind(binding)
            self._sink.open(query_id, binding.epoch)
            self._ranges = BatchRanges(binding.checkpoint)
            cores = frame.sparkSession.sparkContext.defaultParallelism
            self._few_cores = cores <= STREAM_CORES_MAX
            self._open_for = binding
        executed = _Executed(frame, self._loaded)
        self._sink.write(
            Batch(
                query_id=query_id,
                sink=self._sink.name,
                batch_id=batch_id,
                epoch=binding.epoch,
                columns=tuple(frame.columns),
                rows=executed.rows,
                offsets=self._ranges.of(batch_id) if self._ranges else {},
                types={field.name: field.dataType.simpleString() for field in frame.schema},
                computed=executed.computed,
                frame=executed.frame,
                in_order=executed.in_order,
                arrow=executed.arrow if self._few_cores and executed.is_plain() else None,
                on_executors=executed,
            )
        )
        executed.finish()
        if self._announce is not None:
            self._announce("returned")


class _Executed:
    """Rows of a frame, and the promise that its plan is run whole even if nobody wants them.

    A stateful query whose batch is skipped without running the plan never commits the state of
    that batch, and can never start again (STATE_STORE_COMMIT_VALIDATION_FAILED, Spark 4.1).
    """

    def __init__(self, frame: DataFrame, loaded: dict[tuple[str, ...], bool]) -> None:
        self._frame = frame
        self._loaded = loaded
        self._done = False

    def frame(self) -> DataFrame:
        self._done = True
        return self._frame

    def rows(self) -> Iterator[Sequence[Any]]:
        by_arrow = importlib.import_module(_BY_ARROW)
        if by_arrow.is_plain(self._frame):
            for columns in by_arrow.chunks_of(self._frame):
                yield from zip(*columns, strict=True)
        else:
            zoned = zoned_row(self._frame.schema)
            for row in self._frame.toLocalIterator():
                yield zoned(row)
        self._done = True

    def is_plain(self) -> bool:
        return bool(importlib.import_module(_BY_ARROW).is_plain(self._frame))

    def arrow(self, rows_at_once: int) -> Iterator[Any]:
        by_arrow = importlib.import_module(_BY_ARROW)
        return self._whole(by_arrow.arrow_of(self._frame, rows_at_once))

    def _whole(self, batches: Iterator[Any]) -> Iterator[Any]:
        yield from batches
        self._done = True

    def computed(self, expressions: Sequence[str]) -> Iterator[Sequence[list[Any]]]:
        yield from importlib.import_module(_BY_ARROW).chunks_of(
            self._frame.selectExpr(*expressions)
        )
        self._done = True

    def in_order(self) -> Iterator[tuple[int, Sequence[Any]]]:
        zoned = zoned_row(self._frame.schema)
        # Sorting reads its input twice, and a stateful plan must run once.
        with computed_once(self._frame) as computed:
            self._done = True
            for place, *row in sorted_by_place(computed).toLocalIterator():
                yield place, zoned(row)

    def have(self, modules: Sequence[str]) -> bool:
        asked = tuple(modules)
        if asked not in self._loaded:
            self._loaded[asked] = workers_load(self._frame.sparkSession, asked)
        return self._loaded[asked]

    def each(
        self, function: Callable[[Iterator[Any]], Iterator[Any]], columns: str, parts_max: int
    ) -> Sequence[Sequence[Any]]:
        found = on_parts(self._frame, function, columns, parts_max)
        self._done = True
        return found

    def finish(self) -> None:
        if not self._done:
            self._frame.write.format("noop").mode("overwrite").save()
