"""Cases whose API exists from Spark 4.0 on: transformWithState and Python data sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from cases_state import ROCKSDB, STORE
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import LongType, StringType, StructField, StructType
from registry import case
from stage import Stage

COUNT = StructType([StructField("count", LongType(), True)])
ENCODING = STORE + "encodingFormat"


class Counter(StatefulProcessor):
    """One of each kind of state variable: value, list, map."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.count = handle.getValueState("count", COUNT)
        self.seen = handle.getListState("seen", COUNT)
        name = StructType([StructField("name", StringType(), True)])
        self.by_name = handle.getMapState("byName", name, COUNT)

    def handleInputRows(self, key: Any, rows: Any, timer_values: Any) -> Iterator[pd.DataFrame]:
        total = self.count.get()[0] if self.count.exists() else 0
        for frame in rows:
            total += len(frame)
            for value in frame["value"]:
                self.seen.appendValue((int(value),))
        self.count.update((total,))
        self.by_name.updateValue((key[0],), (total,))
        yield pd.DataFrame({"key": [key[0]], "total": [total]})

    def close(self) -> None:
        pass


def transform_with_state(stage: Stage) -> None:
    """Two runs, because operator metadata v2 has one file for each run of the query."""
    for _ in range(2):
        stage.put_files(1)
        grouped = stage.files().groupBy("key")
        counts = grouped.transformWithStateInPandas(
            statefulProcessor=Counter(),
            outputStructType="key STRING, total LONG",
            outputMode="update",
            timeMode="none",
        )
        stage.drain(counts, mode="update")


case("tws_unsaferow", since=(4, 0), conf={**ROCKSDB, ENCODING: "unsaferow"})(transform_with_state)
case("tws_avro", since=(4, 0), conf={**ROCKSDB, ENCODING: "avro"})(transform_with_state)


class Span(InputPartition):
    def __init__(self, start: int, end: int) -> None:
        super().__init__((start, end))
        self.start, self.end = start, end


class Numbers(DataSource):
    """A Python data source that counts; its offset is a dict, written by Python's json."""

    @classmethod
    def name(cls) -> str:
        return "holdfast_numbers"

    def schema(self) -> str:
        return "id LONG"

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return NumbersReader()


class NumbersReader(DataSourceStreamReader):
    STEP = 3
    # The numbers end, so that the query is idle, and not inside a batch, when it is stopped.
    LAST = 9

    def __init__(self) -> None:
        self.position = 0

    def initialOffset(self) -> dict[str, int]:
        return {"offset": 0}

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, int]:
        self.position = min(self.position + self.STEP, self.LAST)
        return {"offset": self.position}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[Span]:
        return [Span(start["offset"], end["offset"])]

    def read(self, partition: Any) -> Iterator[tuple[int]]:
        for number in range(partition.start, partition.end):
            yield (number,)

    def commit(self, end: dict[str, int]) -> None:
        pass


@case("python_data_source", since=(4, 0))
def python_data_source(stage: Stage) -> None:
    stage.spark.dataSource.register(Numbers)
    frame = stage.spark.readStream.format("holdfast_numbers").load()
    writer = stage.writer(frame).trigger(processingTime="1 second")
    stage.run_until(writer, lambda progress: len(progress) >= 3)
