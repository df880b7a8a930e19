"""The way from a declaration to Spark: its master before it starts, and the engine itself."""

import importlib
from collections.abc import Mapping
from typing import Any

from holdfast.adapters.jars import jar_settings
from holdfast.adapters.surroundings.process_environment import variables
from holdfast.core.job import Declaration
from holdfast.core.running.ports import Engine
from holdfast.errors import NotInstalledError


def known_master(spark: Mapping[str, str]) -> str:
    """Where Spark will run, known before it starts.

    The declaration's word counts, then that of spark-submit, and else it is this machine.
    """
    given = spark.get("spark.master")
    if given:
        return given
    if "PYSPARK_GATEWAY_PORT" in variables():
        return str(spark_module("holdfast.adapters.spark.session").submitted_master())
    return "local[*]"


def open_engine(declaration: Declaration) -> Engine:
    """Start Spark with the settings of the declaration, and the jars that its jobs need."""
    jars = jar_settings(declaration, variables())
    engine: Engine = spark_module("holdfast.adapters.spark.engine").SparkEngine(declaration, jars)
    return engine


def spark_module(name: str) -> Any:
    """A module of adapters/spark, which alone import pyspark, loaded when it is needed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise NotInstalledError(
            f"running jobs needs {error.name}", next_action="pip install 'holdfast[spark,sql]'"
        ) from error
