"""What real Spark says of the state of a plan: keys with types, functions, windows, sources."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from holdfast.adapters.spark.plan import stateful_operators
from holdfast.adapters.spark.plan_facts import plan_facts
from holdfast.adapters.spark.plan_shapes import state_shapes
from holdfast.core.running.state_shape import StateShape
from tests.running.spark_sessions import fresh_session

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with fresh_session() as session:
        yield session


def rates(spark: SparkSession) -> DataFrame:
    frame = spark.readStream.format("rate").option("rowsPerSecond", "3").load()
    return frame.withWatermark("timestamp", "10 seconds")


def windowed(*sizes: str) -> Callable[[SparkSession], DataFrame]:
    return lambda spark: rates(spark).groupBy(F.window("timestamp", *sizes)).count()


def sessions(gap: str) -> Callable[[SparkSession], DataFrame]:
    return lambda spark: rates(spark).groupBy(F.session_window("timestamp", gap), "value").count()


def by_day(spark: SparkSession) -> DataFrame:
    days = rates(spark).withColumn("day", F.to_date("timestamp"))
    return days.groupBy("day").agg(F.count("*").alias("n"), (F.sum("value") + 1).alias("s"))


def test_keys_with_types_and_functions_once(spark: SparkSession) -> None:
    (shape,) = state_shapes(by_day(spark))
    assert shape == StateShape(
        kind="Aggregate",
        keys=("day: DATE",),
        values=("count(1): BIGINT", "sum(value): BIGINT"),
        made_by=("day = to_date(timestamp)",),
    )


def test_another_name_for_a_result_is_the_same_state(spark: SparkSession) -> None:
    renamed = by_day(spark).withColumnRenamed("n", "m").where("s > 3")
    assert state_shapes(renamed) == state_shapes(by_day(spark))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (windowed("1 minute"), windowed("2 minutes")),
        (windowed("1 minute"), windowed("1 minute", "30 seconds")),
        (windowed("1 minute", "30 seconds"), windowed("1 minute", "20 seconds")),
        (windowed("1 minute", "30 seconds"), windowed("2 minutes", "30 seconds")),
        (
            windowed("1 minute", "1 minute", "0 seconds"),
            windowed("1 minute", "1 minute", "5 seconds"),
        ),
        (sessions("5 minutes"), sessions("6 minutes")),
    ],
)
def test_windows_tell_their_size(
    spark: SparkSession,
    one: Callable[[SparkSession], DataFrame],
    other: Callable[[SparkSession], DataFrame],
) -> None:
    (first,), (second,) = state_shapes(one(spark)), state_shapes(other(spark))
    assert first.made_by != second.made_by
    assert replace(first, made_by=()) == replace(second, made_by=())
    assert state_shapes(one(spark)) == (first,), "the same at every start"


def test_a_shape_for_each_operator_in_the_same_order(spark: SparkSession) -> None:
    frame = rates(spark).dropDuplicates(["value"]).groupBy("value").count().limit(3)
    words = [word.partition(":")[0] for word in stateful_operators(frame)]
    kinds = [shape.kind for shape in state_shapes(frame)]
    assert kinds == [word for word in words if word != "EventTimeWatermark"]
    assert kinds == ["GlobalLimit", "Aggregate", "Deduplicate"]


def test_sources_tell_their_options_in_order(spark: SparkSession, tmp_path: Path) -> None:
    files = spark.readStream.schema("value long").option("maxFilesPerTrigger", 2)
    frame = files.json(str(tmp_path)).union(rates(spark).select("value"))
    facts = plan_facts(frame, ())
    assert facts.sources == ("FileSource", "rate")
    assert facts.source_options[0]["path"] == str(tmp_path)
    assert facts.source_options[0]["maxFilesPerTrigger"] == "2"
    assert facts.source_options[1]["rowsPerSecond"] == "3"
