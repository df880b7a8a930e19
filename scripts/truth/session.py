"""A Spark that lives long: takes tasks as lines of JSON, answers each with a line of JSON.

Run by the interpreter of one Spark version; spark_process.py is its other end.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from scripts.truth.session_queries import frame_of, output_rows, writer_of

SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.streaming.stateStore.maintenanceInterval": "1s",
}
LINGER_S = 3
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def begin() -> SparkSession:
    jars = os.environ.get("HOLDFAST_TRUTH_JARS", "")
    builder = SparkSession.builder.master("local[2]").appName("truth")
    for name, value in {**SETTINGS, **({"spark.jars": jars, **DELTA} if jars else {})}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def run(root: SparkSession, task: dict[str, Any]) -> dict[str, Any]:
    """Start the query, let it do all there is to do, and say how it went."""
    spark = session_for(root, task)
    query = None
    try:
        query = writer_of(frame_of(spark, task), task).start()
        if task["lingers"]:
            # As long as it runs, its state is maintained: the newest version gets a snapshot.
            query.processAllAvailable()
            time.sleep(LINGER_S)
            query.stop()
        ended = query.awaitTermination(task["limit_s"])
        error = None if ended else "it did not end"
    except Exception as problem:
        error = first_line(problem)
    batches = []
    if query is not None:
        batches = [int(each["batchId"]) for each in query.recentProgress]
        query.stop()
    forget(root)
    return {"batches": batches, "error": error}


def session_for(root: SparkSession, task: dict[str, Any]) -> SparkSession:
    spark = root.newSession()
    for name, value in {**SETTINGS, **task["settings"]}.items():
        if name.startswith(("spark.sql", "spark.databricks")):
            spark.conf.set(name, value)
    return spark


def forget(root: SparkSession) -> None:
    """Drop what the JVM remembers by path: folders are exchanged under its feet."""
    # State stores go by the id of the run, and StateStore.stop() may wait for itself for minutes.
    if os.environ.get("HOLDFAST_TRUTH_JARS"):
        root._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()


def rows(root: SparkSession, task: dict[str, Any]) -> dict[str, Any]:
    if not Path(task["output"]).exists():
        return {"rows": []}
    try:
        return {"rows": output_rows(session_for(root, task), task)}
    except Exception as problem:
        return {"rows": None, "error": first_line(problem)}


def sql(root: SparkSession, task: dict[str, Any]) -> dict[str, Any]:
    """A statement on a table, as a person would type it."""
    session_for(root, task).sql(task["text"])
    forget(root)
    return {}


def describe(root: SparkSession, task: dict[str, Any]) -> dict[str, Any]:
    """Analyse the query without running it."""
    spark = session_for(root, task)
    try:
        # By name: what plans and packs are read by is ours, and not on every version's path.
        plan_facts = importlib.import_module("holdfast.adapters.spark.plan_facts").plan_facts
        encode = importlib.import_module("holdfast.core.evidence.pack").encode
        names = [name for name in task["names"] if is_set(spark, name)]
        facts = encode(plan_facts(frame_of(spark, task), names))
    except Exception as problem:
        return {"facts": None, "error": first_line(problem)}
    return {"facts": facts}


def is_set(spark: SparkSession, name: str) -> bool:
    """Spark 3.5, on which jobs of ours do not run, says so by another error than later ones."""
    try:
        return spark.conf.get(name) is not None
    except Exception:
        return False


def first_line(error: Exception) -> str:
    """What went wrong, without the names of this run."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("An error occurred")]
    text = next((line for line in lines if "STREAM_FAILED" in line), (lines or [""])[0])
    return (text.partition("terminated with exception: ")[2] or text or type(error).__name__)[:300]


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    root = begin()
    print(json.dumps({"version": root.version}), file=answers, flush=True)
    tasks = {"run": run, "rows": rows, "sql": sql, "describe": describe}
    for line in sys.stdin:
        task = json.loads(line)
        try:
            answer = tasks[task["do"]](root, task)
        except Exception as problem:
            answer = {"failed": f"{type(problem).__name__}: {first_line(problem)}"}
        print(json.dumps(answer), file=answers, flush=True)
    root.stop()


if __name__ == "__main__":
    main()
