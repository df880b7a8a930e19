"""Batches of real Spark frames for the bulk road into PostgreSQL.

    python -m tests.sinks.bulk_batches URL TABLE

writes one batch by that road and is killed between staging and the transaction.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pyspark.sql import DataFrame

from holdfast.adapters.sinks.sql import Step
from holdfast.adapters.spark.on_executors import on_parts, workers_load
from holdfast.adapters.spark.zoned_values import zoned_row
from holdfast.core.running.batch import Batch
from tests.running.spark_sessions import fresh_session
from tests.sinks.servers import server_sink
from tests.sinks.sql_tables import QUERY

KILLED_ROWS = 1_000


class Executors:
    """The frame's workers, as the ledger writer offers them; counts how often the plan is run."""

    def __init__(self, frame: DataFrame) -> None:
        self.frame = frame
        self.runs = 0

    def have(self, modules: Sequence[str]) -> bool:
        return workers_load(self.frame.sparkSession, modules)

    def each(
        self, function: Callable[[Iterator[Any]], Iterator[Any]], columns: str, parts_max: int
    ) -> Sequence[Sequence[Any]]:
        self.runs += 1
        return on_parts(self.frame, function, columns, parts_max)


def frame_batch(
    frame: DataFrame, batch_id: int, *, sink: str, epoch: int = 1, executors: Any = None
) -> Batch:
    def rows() -> Iterator[Sequence[Any]]:
        zoned = zoned_row(frame.schema)
        return (zoned(row) for row in frame.toLocalIterator())

    return Batch(
        query_id=QUERY,
        sink=sink,
        batch_id=batch_id,
        epoch=epoch,
        columns=tuple(frame.columns),
        rows=rows,
        offsets={"0": {"end": batch_id}},
        types={field.name: field.dataType.simpleString() for field in frame.schema},
        on_executors=executors or Executors(frame),
    )


def die_at_begin(step: Step) -> None:
    if step == "begin":
        os.kill(os.getpid(), signal.SIGKILL)


def main(url: str, table: str) -> None:
    with fresh_session() as spark:
        frame = spark.range(KILLED_ROWS, numPartitions=3)
        sink = server_sink(url, table, 1, bulk="always")
        sink.listen(die_at_begin)
        sink.write(frame_batch(frame, 0, sink=table))


if __name__ == "__main__":
    main(*sys.argv[1:])
