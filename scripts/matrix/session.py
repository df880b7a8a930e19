"""The Spark side of the matrix, run by the interpreter of one Spark version.

`build FOLDER` makes one checkpoint per kind of query; `restart FOLDER` starts every damaged copy
again and writes down what really happened.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

BATCHES = 4
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
HDFS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
KINDS = {"plain": HDFS, "counts": HDFS, "rocks": ROCKSDB}


def session() -> SparkSession:
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("matrix")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


def write_input(folder: Path, number: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [json.dumps({"key": f"k{i % 3}", "value": number}) for i in range(6)]
    (folder / f"{number:03d}.json").write_text("\n".join(rows) + "\n", encoding="utf-8")


def run(spark: SparkSession, kind: str, source: Path, checkpoint: Path) -> dict[str, Any]:
    """Run what is there to run, and tell which batches reached the sink and how it ended."""
    spark.conf.set(PROVIDER, KINDS[kind])
    batches: list[int] = []

    def sink(frame: DataFrame, batch_id: int) -> None:
        frame.collect()
        batches.append(batch_id)

    frame = (
        spark.readStream.schema("key string, value long")
        .option("maxFilesPerTrigger", "1")
        .json(str(source))
    )
    mode = "append"
    if kind != "plain":
        frame, mode = frame.groupBy("key").count(), "update"
    try:
        query = (
            frame.writeStream.outputMode(mode)
            .trigger(availableNow=True)
            .option("checkpointLocation", str(checkpoint))
            .foreachBatch(sink)
            .start()
        )
        query.awaitTermination()
    except Exception as error:
        return {"batches": batches, "error": first_line(error)}
    return {"batches": batches, "error": None}


def first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:160]


def build(folder: Path) -> None:
    spark = session()
    for kind in KINDS:
        source = folder / kind / "input"
        for number in range(BATCHES):
            write_input(source, number)
        done = run(spark, kind, source, folder / kind / "checkpoint")
        if done != {"batches": list(range(BATCHES)), "error": None}:
            sys.exit(f"{kind}: {done}")


def restart(folder: Path) -> None:
    spark = session()
    observed: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        # One file more, so that a query that goes on has something to go on with.
        write_input(folder / kind / "input", BATCHES)
        for copy in sorted((folder / kind).glob("copy-*")):
            observed[f"{kind}/{copy.name}"] = run(spark, kind, folder / kind / "input", copy)
    (folder / "observed.json").write_text(json.dumps(observed, indent=1), encoding="utf-8")


if __name__ == "__main__":
    {"build": build, "restart": restart}[sys.argv[1]](Path(sys.argv[2]))
