"""A stateful query into each of our sinks, killed between the sink's commit and Spark's own.

    python -m tests.sinks.stateful_writer FOLDER [kill]

Each sink twice, with state checkpoints of version 1 and of version 2. With `kill`, every query
waits right after the commit of its batch 1, and once all are there the process group is killed.
"""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import holdfast
from holdfast.adapters.sinks.opening import open_sink
from holdfast.adapters.spark.ledger_writer import LedgerWriter
from tests.running.spark_sessions import fresh_session, lake_settings

PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"
VERSIONS = ("1", "2")
COLUMNS = "key string, total long, n long"
TURN_S = 240.0


def sinks(folder: Path, version: str) -> dict[str, tuple[str, dict[str, Any]]]:
    upsert = {"mode": "upsert", "key": ["key"], "create": True, "columns": COLUMNS}
    append = {"mode": "append", "ledger": True, "create": True, "columns": COLUMNS}
    database = f"sqlite:///{folder}/sql{version}.db"
    return {
        f"sql{version}": ("sql", {"url": database, "table": "totals", **upsert}),
        f"merged{version}": ("delta", {"path": f"{folder}/merged{version}", **upsert}),
        f"appended{version}": ("delta", {"path": f"{folder}/appended{version}", **append}),
    }


def start(folder: Path, spark: SparkSession, name: str, sink: Any) -> Any:
    source = spark.readStream.schema("key string, value long")
    rows = source.option("maxFilesPerTrigger", 1).json(f"{folder}/in")
    totals = rows.groupBy("key").agg(F.sum("value").alias("total"), F.count("*").alias("n"))
    writer = totals.writeStream.outputMode("update").foreachBatch(LedgerWriter(sink))
    place = f"{folder}/checkpoints/{name}"
    return holdfast.start(writer.trigger(availableNow=True), name=name, checkpoint=place)


def main(folder: Path, kill: bool) -> None:
    settings = {
        **lake_settings(),
        "spark.sql.streaming.stateStore.providerClass": PROVIDER,
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    all_there = threading.Barrier(len(VERSIONS) * len(sinks(folder, "")))

    def steps() -> Any:
        committed: list[str] = []

        def tell(step: str) -> None:
            committed.extend([step] if step == "committed" else [])
            if kill and len(committed) == 2:
                all_there.wait(TURN_S)
                os.killpg(0, signal.SIGKILL)

        return tell

    with fresh_session(settings) as spark:
        queries = []
        for version in VERSIONS:
            session = spark.newSession()
            session.conf.set(FORMAT, version)
            for name, (kind, options) in sinks(folder, version).items():
                sink: Any = open_sink(kind, options)
                sink.listen(steps())
                queries.append(start(folder, session, name, sink))
        for query in queries:
            query.awaitTermination(TURN_S)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] == ["kill"])
