"""One checkpoint for each stateful operator that is not an aggregation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from cases_state import FORMAT_2, ROCKSDB
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from registry import NEWEST, SOME, case
from stage import Stage

JOIN_VERSION = "spark.sql.streaming.join.stateFormatVersion"


def events(stage: Stage, folder: str = "input") -> DataFrame:
    return stage.files(folder).withWatermark("ts", "15 minutes")


@case("dedupe")
def dedupe(stage: Stage) -> None:
    stage.put_files(2)
    stage.drain(events(stage).dropDuplicates(["key", "ts"]))


@case("dedupe_without_watermark", only=SOME)
def dedupe_without_watermark(stage: Stage) -> None:
    stage.put_files(2)
    stage.drain(stage.files().dropDuplicates(["key"]))


@case("dedupe_within_watermark")
def dedupe_within_watermark(stage: Stage) -> None:
    stage.put_files(2)
    stage.drain(events(stage).dropDuplicatesWithinWatermark(["key"]))


def join(stage: Stage) -> None:
    """An inner join with bounds in time, so that both sides' state can expire."""
    stage.put_files(1, "left")
    stage.put_files(1, "right")
    left = events(stage, "left").alias("l")
    right = events(stage, "right").alias("r")
    within = F.expr(
        "l.key = r.key AND r.ts BETWEEN l.ts - INTERVAL 1 HOUR AND l.ts + INTERVAL 1 HOUR"
    )
    stage.drain(left.join(right, within).select("l.key", F.col("r.value")))


case("join_v1", conf={JOIN_VERSION: "1"})(join)
case("join_v2", conf={JOIN_VERSION: "2"})(join)
JOIN_FORMAT_2 = {JOIN_VERSION: "2", **ROCKSDB, **FORMAT_2}
case("join_v2_rocksdb_format2", since=(4, 0), only=NEWEST, conf=JOIN_FORMAT_2)(join)
case("join_v3", since=(4, 0), conf={JOIN_VERSION: "3", **ROCKSDB})(join)
case("join_v4", since=(4, 0), conf={JOIN_VERSION: "4", **ROCKSDB})(join)


@case("session_window")
def session_window(stage: Stage) -> None:
    stage.put_files(2)
    stage.drain(events(stage).groupBy(F.session_window("ts", "5 minutes"), "key").count())


@case("limit")
def limit(stage: Stage) -> None:
    """A streaming limit counts the rows it has let through in a state store."""
    stage.put_files(2)
    stage.drain(stage.files().limit(4))


def running_total(
    key: tuple[Any, ...], frames: Iterator[pd.DataFrame], state: GroupState
) -> Iterator[pd.DataFrame]:
    """Keep the sum of each key."""
    total = state.get[0] if state.exists else 0
    for frame in frames:
        total += int(frame["value"].sum())
    state.update((total,))
    yield pd.DataFrame({"key": [key[0]], "total": [total]})


@case("apply_in_pandas_with_state")
def apply_in_pandas_with_state(stage: Stage) -> None:
    """Arbitrary state in Python: the user's state is a row, with a timeout beside it."""
    stage.put_files(2)
    grouped = stage.files().groupBy("key")
    totals = grouped.applyInPandasWithState(
        running_total,
        "key STRING, total LONG",
        "total LONG",
        "update",
        GroupStateTimeout.NoTimeout,
    )
    stage.drain(totals, mode="update")
