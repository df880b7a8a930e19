"""One large batch into PostgreSQL through a small driver: memory must not grow with its rows.

    python -m scripts.soak.postgres_bulk [--rows 10000000] [--driver 1g] [--parts 4] [--stream]

Spark runs in one process here, so that driver and executors share the memory that is given to it.
Rows are counted and added up in the table afterwards. Java is held to its memory by itself; the
peak of the driver's Python is told.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from scripts.servers.postgres import postgres_server

from holdfast.adapters.sinks.sql import SqlSink
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.spark.columns import arrow_of
from holdfast.adapters.spark.on_executors import on_parts, workers_load
from holdfast.core.running.batch import Batch

FIRST_ROWS = 60_000
"""Of the batch before a stream, which says that batches are large."""
QUERY = "5d0f9a34-31f9-4a52-8a7f-3b2a1c0d9e8f"


class Executors:
    """What the ledger writer offers a sink."""

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame

    def have(self, modules: Sequence[str]) -> bool:
        return workers_load(self._frame.sparkSession, modules)

    def each(
        self, function: Callable[[Iterator[Any]], Iterator[Any]], columns: str, parts_max: int
    ) -> Sequence[Sequence[Any]]:
        return on_parts(self._frame, function, columns, parts_max)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--driver", default="1g")
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--stream", action="store_true", help="after a first batch, as Arrow")
    given = parser.parse_args()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", given.driver)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    i = F.col("id")
    frame = spark.range(0, given.rows, 1, given.parts).select(
        i,
        (i % 1000).cast("int").alias("sensor"),
        (i * 0.5).alias("value"),
        F.sha2(i.cast("string"), 256).alias("text"),
        (i.cast("decimal(18,2)") / 7).cast("decimal(18,2)").alias("price"),
    )
    with postgres_server() as server:
        seconds = write(server.url, frame, stream=given.stream)
        with psycopg.connect(server.url) as connection:
            found = connection.execute(
                "SELECT count(*), sum(id), sum(length(text)) FROM large"
            ).fetchone()
    spark.stop()
    assert found == (given.rows, given.rows * (given.rows - 1) // 2, 64 * given.rows), found
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{given.rows:,} rows in {seconds:.0f} s with a driver of {given.driver}: all there, once. "
        f"Peak of the driver's Python {peak} MB."
    )
    return 0


def write(url: str, frame: DataFrame, *, stream: bool) -> float:
    bulk = "auto" if stream else "always"
    sink = SqlSink(SqlSinkOptions(url=url, table="large", create=True, bulk=bulk))
    sink.open(QUERY, 1)
    if stream:
        assert sink.write(batch_of(frame.limit(FIRST_ROWS), 0, sink.name))
        with psycopg.connect(url) as connection:
            connection.execute("TRUNCATE large")
    start = time.perf_counter()
    assert sink.write(batch_of(frame, 1, sink.name))
    return time.perf_counter() - start


def batch_of(frame: DataFrame, number: int, sink: str) -> Batch:
    return Batch(
        query_id=QUERY,
        sink=sink,
        batch_id=number,
        epoch=1,
        columns=tuple(frame.columns),
        rows=lambda: iter(()),
        offsets={},
        types={field.name: field.dataType.simpleString() for field in frame.schema},
        arrow=lambda most: arrow_of(frame, most),
        on_executors=Executors(frame),
    )


if __name__ == "__main__":
    sys.exit(main())
