"""The one Spark session in which the declared queries run."""

import os
import sys
from collections.abc import Mapping

from pyspark.conf import SparkConf
from pyspark.sql import SparkSession

from holdfast.errors import UnreachableError

_DEFAULTS = {
    "spark.ui.showConsoleProgress": "false",
    # A second start of the same query in this session must not silently stop the first.
    "spark.sql.streaming.stopActiveRunOnRestart": "false",
}


def open_session(settings: Mapping[str, str], name: str) -> SparkSession:
    """Start or join a session; under spark-submit the master is the one given there."""
    # Workers must run the interpreter that runs us, or they see other packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name)
    if "spark.master" not in settings and not submitted():
        builder = builder.master("local[*]")
    for key, value in {**_DEFAULTS, **settings}.items():
        builder = builder.config(key, value)
    try:
        spark = builder.getOrCreate()
    except Exception as error:
        raise UnreachableError(
            f"Spark did not start: {type(error).__name__}: {_first_line(error)}",
            subject=settings.get("spark.master", "local[*]"),
            next_action="`holdfast doctor` looks at Java, jars and settings",
        ) from error
    spark.sparkContext.setLogLevel(settings.get("spark.log.level", "OFF"))
    return spark


def submitted() -> bool:
    """Whether spark-submit started this process: its Java process is there already."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def submitted_master() -> str:
    """The master that spark-submit was given."""
    return str(SparkConf().get("spark.master", "local[*]"))


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), "")[:200]
