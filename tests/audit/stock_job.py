"""Streaming jobs as people write them, each with a fault that an audit must find.

    python stock_job.py KIND WORK

WORK gets the input (the same every time), the checkpoint and the output. Ends when the input is
done. What each does wrong is said at its function.
"""

import importlib
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

FILES, ROWS_A_FILE = 3, 20
LATE_S = 0.5
_LATE: list[threading.Thread] = []


def make_input(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(FILES):
        file = folder / f"{number}.json"
        if not file.exists():
            first = number * ROWS_A_FILE
            ids = range(first, first + ROWS_A_FILE)
            part = folder / f".{number}.part"
            part.write_text("".join(f'{{"id": {i}, "amount": {i % 7}}}\n' for i in ids))
            os.utime(part, (1_700_000_000 + number,) * 2)
            part.rename(file)


def database(work: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(work / "out.db")
    connection.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER, amount INTEGER, batch INTEGER)")
    connection.commit()
    return connection


def insert(connection: sqlite3.Connection, batch: DataFrame, batch_id: int) -> None:
    rows = [(row[0], row[1], batch_id) for row in batch.collect()]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    connection.commit()


def plain_append(work: Path) -> Callable[[DataFrame, int], None]:
    """A batch that is run again is in the table twice."""

    def write(batch: DataFrame, batch_id: int) -> None:
        with closing(database(work)) as connection:
            insert(connection, batch, batch_id)

    return write


def delete_insert(work: Path) -> Callable[[DataFrame, int], None]:
    """Two transactions: between them the rows of a batch that was there are gone."""

    def write(batch: DataFrame, batch_id: int) -> None:
        with closing(database(work)) as connection:
            connection.execute("DELETE FROM t WHERE batch = ?", (batch_id,))
            connection.commit()
            insert(connection, batch, batch_id)

    return write


def late_commit(work: Path) -> Callable[[DataFrame, int], None]:
    """Returns before its rows are safe: Spark writes the commit, and they may never come."""

    def write(batch: DataFrame, batch_id: int) -> None:
        rows = [(row[0], row[1], batch_id) for row in batch.collect()]

        def later() -> None:
            time.sleep(LATE_S)
            with closing(database(work)) as connection:
                connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
                connection.commit()

        _LATE.append(threading.Thread(target=later))
        _LATE[-1].start()

    return write


def early_return(work: Path) -> Callable[[DataFrame, int], None]:
    """Skips a batch that it knows without running its plan: with state format 2, never again."""

    def write(batch: DataFrame, batch_id: int) -> None:
        with closing(database(work)) as connection:
            known = connection.execute("SELECT 1 FROM t WHERE batch = ?", (batch_id,)).fetchone()
            if known is None:
                insert(connection, batch, batch_id)

    return write


def parquet_append(work: Path) -> Callable[[DataFrame, int], None]:
    """A batch write knows no batch ids: what is run again is there twice."""
    return lambda batch, batch_id: batch.write.mode("append").parquet(str(work / "out"))


def delta_append(work: Path) -> Callable[[DataFrame, int], None]:
    """Without txnAppId and txnVersion Delta cannot know that it has the batch."""

    def write(batch: DataFrame, batch_id: int) -> None:
        batch.write.format("delta").mode("append").save(str(work / "out"))

    return write


def postgres(work: Path) -> Any:
    """A connection to the server that an audit leads to; user and password are libpq's."""
    host, port = os.environ["HOLDFAST_PROXY"].split(":")
    return importlib.import_module("psycopg").connect(host=host, port=port, dbname="postgres")


def postgres_append(work: Path) -> Callable[[DataFrame, int], None]:
    """One transaction, and no memory: a batch whose commit was not answered comes again."""
    return lambda batch, batch_id: to_postgres(work, batch, batch_id, once=False)


def postgres_once(work: Path) -> Callable[[DataFrame, int], None]:
    """Nothing wrong with it: rows and the mark of their batch in one transaction."""
    return lambda batch, batch_id: to_postgres(work, batch, batch_id, once=True)


def to_postgres(work: Path, batch: DataFrame, batch_id: int, *, once: bool) -> None:
    table = os.environ["HOLDFAST_RUN"]
    rows = [(row[0], row[1], batch_id) for row in batch.collect()]
    with postgres(work) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE IF NOT EXISTS {table} (id int, amount int, batch int)")
        cursor.execute(f"CREATE TABLE IF NOT EXISTS {table}_marks (batch int)")
        cursor.execute(f"SELECT 1 FROM {table}_marks WHERE batch = %s", (batch_id,))
        if once and cursor.fetchone():
            return
        cursor.execute(f"INSERT INTO {table}_marks VALUES (%s)", (batch_id,))
        with cursor.copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


BATCH_WRITERS = {
    "postgres-append": postgres_append,
    "postgres-once": postgres_once,
    "plain-append": plain_append,
    "delete-insert": delete_insert,
    "late-commit": late_commit,
    "early-return": early_return,
    "parquet-append": parquet_append,
    "delta-append": delta_append,
}


def session(kind: str) -> SparkSession:
    builder = SparkSession.builder.master("local[2]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.minBatchesToRetain": "1",
        "spark.databricks.delta.snapshotPartitions": "2",
    }
    if "JARS" in os.environ:
        settings["spark.jars"] = os.environ["JARS"]
        delta = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        settings["spark.sql.extensions"] = "io.delta.sql.DeltaSparkSessionExtension"
        settings["spark.sql.catalog.spark_catalog"] = delta
    if kind == "early-return":
        provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        settings["spark.sql.streaming.stateStore.providerClass"] = provider
        settings["spark.sql.streaming.stateStore.checkpointFormatVersion"] = "2"
    return builder.config(map=settings).getOrCreate()


def writer(kind: str, orders: DataFrame, work: Path) -> DataStreamWriter:
    if kind in BATCH_WRITERS:
        return orders.writeStream.foreachBatch(BATCH_WRITERS[kind](work))
    if kind == "file-sink":
        return orders.writeStream.format("parquet").option("path", str(work / "out"))
    if kind == "kafka-sink":
        rows = orders.selectExpr("CAST(id AS STRING) AS key", "CAST(amount AS STRING) AS value")
        servers = os.environ["HOLDFAST_PROXY"]
        sink = rows.writeStream.format("kafka").option("kafka.bootstrap.servers", servers)
        return sink.option("topic", os.environ["HOLDFAST_RUN"])
    raise SystemExit(f"no such kind: {kind}")


def main(kind: str, work: Path) -> None:
    make_input(work / "in")
    spark = session(kind)
    spark.sparkContext.setLogLevel("ERROR")
    orders = spark.readStream.schema("id long, amount long").option("maxFilesPerTrigger", 1)
    rows = orders.json(str(work / "in"))
    if kind == "early-return":
        rows = rows.groupBy("amount").count()
    query = writer(kind, rows, work)
    if kind == "early-return":
        query = query.outputMode("update")
    query = query.option("checkpointLocation", str(work / "checkpoint"))
    query.trigger(availableNow=True).start().awaitTermination()
    for thread in _LATE:
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
