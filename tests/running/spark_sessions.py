"""A Spark session in this process, with a Java process of its own.

A Java process that runs already ignores jars that a later session asks for, so each session begins
with a new one and takes it along when it ends.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from pyspark.core.context import SparkContext
from pyspark.sql import SparkSession
from scripts.jars import fetch

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.databricks.delta.snapshotPartitions": "2",
}
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def lake_settings() -> dict[str, str]:
    """What a session needs for Delta and Kafka; skips the test where the jars cannot be had."""
    try:
        return {**SETTINGS, **DELTA, "spark.jars": fetch.jars("lake")}
    except fetch.FetchError as error:
        pytest.skip(str(error))


@contextmanager
def fresh_session(
    settings: Mapping[str, str] | None = None, master: str = "local[2]"
) -> Iterator[SparkSession]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    _end_java()
    builder = SparkSession.builder.master(master).appName("holdfast-tests")
    for name, value in {**SETTINGS, **(settings or {})}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield spark
    finally:
        spark.stop()
        _end_java()


def _end_java() -> None:
    gateway = SparkContext._gateway
    if gateway is None:
        return
    process = getattr(gateway, "proc", None)
    gateway.shutdown()
    SparkContext._gateway = None
    SparkContext._jvm = None
    if process is not None:
        # It ends when its input does.
        process.stdin.close()
        process.wait(60)
