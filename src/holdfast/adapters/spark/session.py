"""The one Spark session in which the declared queries run."""

import os
import sys
from collections.abc import Mapping

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
    if "spark.master" not in settings and "SPARK_ENV_LOADED" not in os.environ:
        builder = builder.master("local[*]")
    for key, value in {**_DEFAULTS, **settings}.items():
        builder = builder.config(key, value)
    try:
        spark = builder.getOrCreate()
    except Exception as error:
        raise UnreachableError(
            f"Spark did not start: {type(error).__name__}: {_first_line(error)}",
            subject=settings.get("spark.master", "local[*]"),
            next_action="check Java (17 or newer) and the spark settings of the declaration",
        ) from error
    spark.sparkContext.setLogLevel(settings.get("spark.log.level", "ERROR"))
    return spark


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), "")[:200]
