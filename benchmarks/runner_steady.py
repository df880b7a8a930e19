"""One Spark session, the same job by turns: by hand and with holdfast.start. Prints JSON."""

import json
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import holdfast

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
}


def main(place: Path, sink: str, rounds: int) -> None:
    """Run both ways in every round, after one of each that is not counted."""
    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    measured: dict[str, list[dict[str, Any]]] = {"by hand": [], "holdfast": []}
    for number in range(rounds + 1):
        # The order turns, so that neither way always comes second.
        for way in sorted(measured, reverse=number % 2 == 1):
            run = once(spark, place, sink, way, number)
            if number:
                measured[way].append(run)
    spark.stop()
    print(json.dumps(measured))


def once(spark: SparkSession, place: Path, sink: str, way: str, number: int) -> dict[str, Any]:
    """Read every file, one a batch, into a new place; time it and count what arrived."""
    name = f"{way.replace(' ', '-')}-{number}"
    checkpoint, out = place / "checkpoints" / name, place / f"out-{name}"
    rows = (
        spark.readStream.schema("value long")
        .option("maxFilesPerTrigger", 1)
        .json(str(place / "in"))
    )
    writer = rows.writeStream.trigger(availableNow=True).queryName(name)
    if sink == "native":
        writer = writer.format("parquet").option("path", str(out))
    elif way == "by hand":
        writer = writer.foreachBatch(by_hand_into(out))
    else:
        writer = writer.foreachBatch(
            holdfast.sink("sql", url=f"sqlite:///{out}", table="numbers", create=True)
        )
    began = time.perf_counter()
    query: Any
    if way == "by hand":
        query = writer.option("checkpointLocation", str(checkpoint)).start()
    else:
        query = holdfast.start(writer, name=name, checkpoint=str(checkpoint), tell=lambda e: None)
    query.awaitTermination()
    seconds = time.perf_counter() - began
    batches = [int(progress["batchDuration"]) for progress in query.recentProgress]
    return {"seconds": seconds, "batches": batches, "rows": counted(spark, sink, out)}


def by_hand_into(out: Path) -> Any:
    """What people write: one transaction a batch, and no memory of which batches are in."""

    def write(frame: DataFrame, batch_id: int) -> None:
        with sqlite3.connect(out) as connection:
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("CREATE TABLE IF NOT EXISTS numbers (value INTEGER)")
            rows = ((row.value,) for row in frame.toLocalIterator())
            connection.executemany("INSERT INTO numbers VALUES (?)", rows)

    return write


def counted(spark: SparkSession, sink: str, out: Path) -> int:
    """Rows that arrived, each once: their number, and that no value comes twice."""
    if sink == "native":
        frame = spark.read.parquet(str(out))
        total, different = frame.count(), frame.distinct().count()
    else:
        with sqlite3.connect(out) as connection:
            (total,) = connection.execute("SELECT count(*) FROM numbers").fetchone()
            (different,) = connection.execute(
                "SELECT count(DISTINCT value) FROM numbers"
            ).fetchone()
    assert total == different, (total, different)
    return int(total)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
