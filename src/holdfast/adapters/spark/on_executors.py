"""Functions of ours in Spark's Python workers, beside the rows of a frame."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession


def on_parts(
    frame: DataFrame,
    function: Callable[[Iterator[Any]], Iterator[Any]],
    columns: str,
    parts_max: int,
) -> list[tuple[Any, ...]]:
    """Give each partition to a function, and what it gives of those attempts that won.

    `coalesce` puts partitions together without moving rows, so that no more tasks run at a time.
    """

    def stage_rows(batches: Iterator[Any]) -> Iterator[Any]:
        return function(batches)

    mapped = frame.coalesce(parts_max).mapInArrow(stage_rows, columns)
    return [tuple(row) for row in mapped.collect()]


def workers_load(session: SparkSession, modules: Sequence[str]) -> bool:
    """Whether a worker can import these; a cluster may have them on its driver alone."""

    def load(batches: Iterator[Any]) -> Iterator[Any]:
        for module in modules:
            importlib.import_module(module)
        for batch in batches:
            yield batch.select([0])

    try:
        session.range(0, 1, 1, 1).mapInArrow(load, "id long").collect()
    except PySparkException:
        return False
    return True
