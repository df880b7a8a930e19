"""What can be read off the plan and the session of a query that was started."""

import platform
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from holdfast import __version__
from holdfast.adapters.spark.plan import nondeterministic_expressions, stateful_operators
from holdfast.adapters.spark.plan_shapes import state_shapes
from holdfast.adapters.spark.plan_sources import source_options
from holdfast.core.running.ports import PlanFacts

_NODES_MAX = 2_000
"""Nodes of one plan that are looked at; a large query has a few hundred."""


def plan_facts(frame: DataFrame, settings: Sequence[str]) -> PlanFacts:
    """Walk the analyzed plan once."""
    spark = frame.sparkSession
    analyzed = frame._jdf.queryExecution().analyzed()
    return PlanFacts(
        sources=_sources(analyzed),
        stateful=stateful_operators(frame),
        unrepeatable=nondeterministic_expressions(frame),
        settings=_settings(spark, settings),
        versions=_versions(spark),
        source_options=source_options(analyzed),
        shapes=state_shapes(frame),
    )


def _settings(spark: Any, names: Sequence[str]) -> dict[str, str]:
    """Values by name; a name that this Spark does not know is left out."""
    found = {}
    for name in names:
        try:
            found[name] = str(spark.conf.get(name))
        except PySparkException:
            continue  # SQL_CONF_NOT_FOUND: a setting of a later or earlier Spark
    return found


def _sources(analyzed: Any) -> tuple[str, ...]:
    leaves = analyzed.collectLeaves()
    count = min(leaves.size(), _NODES_MAX)
    nodes = [leaves.apply(index) for index in range(count)]
    return tuple(_provider(node) for node in nodes if node.isStreaming())


def _provider(node: Any) -> str:
    """`StreamingRelation` names its source in dataSource, `StreamingRelationV2` in sourceName."""
    if str(node.nodeName()) == "StreamingRelationV2":
        return str(node.sourceName())
    text = str(node.toString())
    return text.partition(",")[0].partition("[")[0].strip() or str(node.nodeName())


def _versions(spark: Any) -> dict[str, str]:
    jars = str(spark.sparkContext.getConf().get("spark.jars", "")).split(",")
    names = [PurePosixPath(jar).name.removesuffix(".jar") for jar in jars if jar]
    packages = str(spark.sparkContext.getConf().get("spark.jars.packages", ""))
    return {
        "spark": str(spark.version),
        "python": platform.python_version(),
        "holdfast": __version__,
        **({"jars": ", ".join(sorted(names))} if names else {}),
        **({"packages": packages} if packages else {}),
    }
