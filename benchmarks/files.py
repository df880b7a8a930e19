"""The files sink against Spark's own writers: batches of a million rows, by turns."""

import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from measure import Row
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from holdfast.adapters.sinks.files.sink import open_sink
from holdfast.core.running.batch import Batch

ROWS = 1_000_000
ROUNDS_MIN = 5
_QUERY = "sql.streaming.queryId"

Begin = Callable[[Any, Path], Any]


def by_hand(writer: Any, place: Path) -> Any:
    """What people write; a batch that comes again is there twice."""

    def write(frame: DataFrame, _batch_id: int) -> None:
        frame.write.mode("append").parquet(str(place / "out"))

    return writer.foreachBatch(write)


def native(writer: Any, place: Path) -> Any:
    """Spark's own file sink: once, for readers with Spark."""
    return writer.format("parquet").option("path", str(place / "out"))


def ours(writer: Any, place: Path) -> Any:
    """The files sink, as the runner calls it."""
    sink = open_sink({"path": str(place / "out")})

    def write(frame: DataFrame, batch_id: int) -> None:
        query = str(frame.sparkSession.sparkContext.getLocalProperty(_QUERY))
        if batch_id == 0:
            sink.open(query, 1)
        batch = Batch(
            query_id=query,
            sink=sink.name,
            batch_id=batch_id,
            epoch=1,
            columns=tuple(frame.columns),
            rows=lambda: iter(()),
            offsets={"0": {"end": batch_id}},
            frame=lambda: frame,
        )
        assert sink.write(batch)

    return writer.foreachBatch(write)


WAYS: dict[str, Begin] = {"by hand": by_hand, "native": native, "files": ours}


def rows(repeat: int) -> Iterator[Row]:
    """How much longer a batch takes with the files sink."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=Path.home()) as folder:
        given = _input(spark, Path(folder) / "in")
        spent: dict[str, list[float]] = {name: [] for name in WAYS}
        rounds = max(ROUNDS_MIN, repeat)
        for number in range(rounds + 1):
            names = list(WAYS) if number % 2 else list(reversed(WAYS))
            for name in names:
                seconds = _batch(spark, given, Path(folder) / "trial", WAYS[name])
                if number:  # the first round warms Spark up
                    spent[name].append(seconds)
    spark.stop()
    yield from _compared(spent)


def _compared(spent: dict[str, list[float]]) -> Iterator[Row]:
    mine = spent["files"]
    for name in ("by hand", "native"):
        ratios = [a / b for a, b in zip(mine, spent[name], strict=True)]
        spread = ", ".join(f"{ratio:.2f}" for ratio in sorted(ratios))
        medians = f"{statistics.median(mine):.2f} s against {statistics.median(spent[name]):.2f} s"
        yield Row(
            what=f"1 M rows as Parquet, files sink against Spark {name}",
            measured=round(statistics.median(ratios), 3),
            bound=1.05,
            unit="times",
            note=f"{medians}; pairs {spread}",
        )


def _input(spark: SparkSession, folder: Path) -> Path:
    made = spark.range(2 * ROWS, numPartitions=4).select(
        "id",
        (F.col("id") % 1000).alias("sensor"),
        F.concat(F.lit("reading "), F.sha1(F.col("id").cast("string"))).alias("text"),
        (F.col("id") * 0.5).alias("value"),
    )
    made.write.parquet(str(folder))
    return folder


def _batch(spark: SparkSession, given: Path, place: Path, begin: Begin) -> float:
    """Seconds of the second of two batches; asserts that all their rows are there, once.

    The first one pays for the start: a sink is opened once.
    """
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    schema = spark.read.parquet(str(given)).schema
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).parquet(str(given))
    writer = stream.writeStream.option("checkpointLocation", str(place / "ck"))
    query = begin(writer.trigger(availableNow=True), place).start()
    query.awaitTermination()
    [_, progress] = [each for each in query.recentProgress if each["numInputRows"]]
    seconds = int(progress["durationMs"]["addBatch"]) / 1000
    found = spark.read.parquet(str(place / "out")).agg(F.count("*"), F.sum("id")).first()
    assert found is not None and tuple(found) == (2 * ROWS, ROWS * (2 * ROWS - 1)), found
    return seconds
