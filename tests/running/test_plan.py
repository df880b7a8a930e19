"""What real Spark says of plans: chance, state, Python functions; the same at every start."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import LongType, StructField, StructType

from holdfast.adapters.spark.plan import (
    nondeterministic_expressions,
    python_functions,
    stateful_operators,
)
from holdfast.adapters.spark.plan_facts import plan_facts
from holdfast.adapters.spark.transform_source import declared_source
from holdfast.core.guards.repeatable_transform import NOT_LOOKED_AT, find_unrepeatable
from tests.running.spark_sessions import fresh_session

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with fresh_session() as session:
        yield session


def rates(spark: SparkSession) -> DataFrame:
    return spark.readStream.format("rate").load()


def others(spark: SparkSession) -> DataFrame:
    return rates(spark).withColumnRenamed("value", "v2").withColumnRenamed("timestamp", "t2")


def make_id(value):  # type: ignore[no-untyped-def]  # PySpark 4.2 takes hints for those of pandas
    return str(uuid.uuid4())


def orders(frame: DataFrame) -> DataFrame:
    return frame.withColumn("id", F.udf(make_id, "string")("value"))


CHANCE: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "rand": (lambda: F.rand() + 1, ("Rand",)),
    "rand with a seed": (lambda: F.rand(3), ("Rand",)),
    "randn": (F.randn, ("Randn",)),
    "uuid": (lambda: F.expr("uuid()"), ("Uuid",)),
    "shuffle": (lambda: F.shuffle(F.array("value", "value")), ("Shuffle",)),
    "several": (lambda: F.concat(F.rand(), F.expr("uuid()"), F.rand()), ("Rand", "Uuid")),
    "partition": (F.spark_partition_id, ("SparkPartitionID",)),
    "file": (F.input_file_name, ("InputFileName",)),
    "declared": (
        lambda: F.udf(make_id, "string").asNondeterministic()("value"),
        ("PythonUDF:make_id",),
    ),
    "clock": (F.current_timestamp, ()),
    "date": (F.current_date, ()),
    "udf": (lambda: F.udf(make_id, "string")("value"), ()),
    "plain": (lambda: F.sha2(F.col("value").cast("string"), 256), ()),
}


@pytest.mark.parametrize("name", CHANCE)
def test_nondeterministic_expressions(spark: SparkSession, name: str) -> None:
    column, expected = CHANCE[name]
    assert nondeterministic_expressions(rates(spark).withColumn("x", column())) == expected


def test_chance_anywhere_in_the_plan(spark: SparkSession) -> None:
    frame = rates(spark)
    assert nondeterministic_expressions(frame.where(F.rand() > 0.5).groupBy().count()) == ("Rand",)
    assert nondeterministic_expressions(frame.sample(0.5)) == ("Sample",)
    numbered = nondeterministic_expressions(frame.select(F.monotonically_increasing_id()))
    assert [word.replace("_", "").lower() for word in numbered] == ["monotonicallyincreasingid"]


def aggregated(spark: SparkSession) -> DataFrame:
    frame = rates(spark).withWatermark("timestamp", "10 seconds")
    return frame.groupBy(F.window("timestamp", "1 minute"), F.col("value") % 10).count()


def joined(spark: SparkSession) -> DataFrame:
    left = rates(spark).withWatermark("timestamp", "1 hour")
    right = others(spark).withWatermark("t2", "2 hours")
    return left.join(right, F.expr("value = v2 AND t2 > timestamp"), "leftOuter")


def grouped(spark: SparkSession) -> DataFrame:
    def count(key: Any, frames: Any, state: Any) -> Iterator[pd.DataFrame]:
        yield pd.DataFrame({"value": [1]})

    keyed = rates(spark).groupBy("value")
    return keyed.applyInPandasWithState(count, "value long", "n long", "append", "NoTimeout")


class Counter(StatefulProcessor):
    def init(self, handle: Any) -> None: ...

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:
        yield pd.DataFrame({"n": [1]})

    def close(self) -> None: ...


def processed(spark: SparkSession) -> DataFrame:
    schema = StructType([StructField("n", LongType())])
    keyed = rates(spark).groupBy("value")
    return keyed.transformWithStateInPandas(Counter(), schema, "append", "none")


# The operator has another name in Spark 4.0.
PROCESSED_BY = (
    "TransformWithStateInPandas"
    if pyspark.__version__.startswith("4.0.")
    else "TransformWithStateInPySpark"
)
STATE: dict[str, tuple[Callable[[SparkSession], DataFrame], tuple[str, ...]]] = {
    "none": (lambda spark: rates(spark).where("value > 3"), ()),
    "aggregation": (
        aggregated,
        (
            "Aggregate: window, (value % CAST(10 AS BIGINT))",
            "EventTimeWatermark: timestamp 10 seconds",
        ),
    ),
    "aggregation of all": (lambda spark: rates(spark).groupBy().count(), ("Aggregate",)),
    "deduplication": (
        lambda spark: rates(spark).dropDuplicates(["value"]),
        ("Deduplicate: value",),
    ),
    "within watermark": (
        lambda spark: (
            rates(spark)
            .withWatermark("timestamp", "10 seconds")
            .dropDuplicatesWithinWatermark(["value"])
        ),
        ("DeduplicateWithinWatermark: value", "EventTimeWatermark: timestamp 10 seconds"),
    ),
    "distinct": (
        lambda spark: spark.sql("SELECT DISTINCT value FROM {rows}", rows=rates(spark)),
        ("Distinct: value",),
    ),
    "join of two streams": (
        joined,
        (
            "Join: LEFT OUTER, ((value = v2) AND (t2 > timestamp))",
            "EventTimeWatermark: timestamp 1 hours",
            "EventTimeWatermark: t2 2 hours",
        ),
    ),
    "join with a table": (
        lambda spark: rates(spark).join(
            spark.range(5).groupBy("id").count(), F.col("id") == F.col("value")
        ),
        (),
    ),
    "limit": (
        lambda spark: rates(spark).groupBy("value").count().limit(3),
        ("GlobalLimit", "Aggregate: value"),
    ),
    "with state": (grouped, ("FlatMapGroupsInPandasWithState: value",)),
    "transform with state": (processed, (f"{PROCESSED_BY}: value",)),
}


@pytest.mark.parametrize("name", STATE)
def test_stateful_operators_are_the_same_at_every_start(spark: SparkSession, name: str) -> None:
    make, expected = STATE[name]
    assert stateful_operators(make(spark)) == expected
    assert stateful_operators(make(spark)) == expected


def test_python_functions(spark: SparkSession) -> None:
    assert python_functions(rates(spark)) == {}
    assert python_functions(orders(rates(spark))) == {"make_id": ""}
    assert python_functions(grouped(spark)) == {"count": ""}


def test_a_transform_is_checked_by_plan_and_by_text(spark: SparkSession) -> None:
    facts = plan_facts(orders(rates(spark)).withColumn("x", F.rand()), ())
    assert (facts.stateful, facts.unrepeatable) == ((), ("Rand",))
    sources = declared_source(f"{__name__}:orders")
    messages = [f.message for f in find_unrepeatable("orders", facts.unrepeatable, sources)]
    assert len(messages) == 2
    assert messages[0].startswith("Rand in the plan is not repeatable")
    assert f"make_id in {__name__} calls uuid.uuid4()" in messages[1]


def test_a_large_plan_is_looked_at_up_to_a_limit(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.spark.plan_tree.PLAN_STEPS_MAX", 2)
    assert stateful_operators(aggregated(spark))[-1] == NOT_LOOKED_AT
    assert nondeterministic_expressions(aggregated(spark))[-1] == NOT_LOOKED_AT


def test_a_plan_that_does_not_answer_harms_nothing(spark: SparkSession) -> None:
    class Odd:
        """A frame whose plan has none of the methods that plans have."""

        _jdf: Any = spark._jvm.java.util.Optional  # type: ignore[union-attr]

    assert stateful_operators(Odd()) == (NOT_LOOKED_AT,)
    assert nondeterministic_expressions(Odd()) == (NOT_LOOKED_AT,)
    assert python_functions(Odd()) == {}
