"""Batches that may come by every road into PostgreSQL, and know by which they came."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from holdfast.adapters.spark.columns import arrow_of
from holdfast.core.running.batch import Batch
from tests.sinks.bulk_batches import Executors, frame_batch
from tests.sinks.servers import server_sink

FIRST = 2
"""Rows of the batch that comes before, staged by executors."""


class Asked:
    """A frame whose rows may come by every road; knows by which they came."""

    def __init__(self, frame: DataFrame, *, fails_after: int | None = None) -> None:
        self.frame = frame
        self.roads: list[str] = []
        self._fails_after = fails_after

    def batch(self, number: int, sink: str, epoch: int = 1) -> Batch:
        executors = _Told(self)
        made = frame_batch(self.frame, number, sink=sink, epoch=epoch, executors=executors)
        return replace(made, arrow=self.arrow, rows=lambda: self._rows(made))

    def arrow(self, most: int) -> Iterator[Any]:
        self.roads.append("stream")
        return self._failing(arrow_of(self.frame, most))

    def _failing(self, batches: Iterator[Any]) -> Iterator[Any]:
        for number, found in enumerate(batches):
            if number == self._fails_after:
                raise RuntimeError("Spark fails here")
            yield found

    def _rows(self, made: Batch) -> Iterator[Any]:
        self.roads.append("rows")
        return made.rows()


class _Told(Executors):
    def __init__(self, asked: Asked) -> None:
        super().__init__(asked.frame)
        self._asked = asked

    def each(self, *given: Any) -> Any:
        self._asked.roads.append("staged")
        return super().each(*given)


def begun(url: str, table: str, frame: DataFrame, **options: Any) -> Any:
    """A sink that has written a first batch, as large ones are."""
    sink = server_sink(url, table, create=True, **options)
    first = Asked(frame.limit(FIRST))
    assert sink.write(first.batch(0, table))
    assert first.roads == ["staged"]
    return sink
