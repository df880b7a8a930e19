"""Sinks, batches and tables for the tests of the Delta sink."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from holdfast.adapters.sinks.delta_ledger import DeltaLedgerSink, Steps, no_steps
from holdfast.adapters.sinks.delta_options import DeltaSinkOptions
from holdfast.core.running.batch import Batch

QUERY = "6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11"
COLUMNS = "id long, version long, text string"
DEADLINE_S = 120.0


def make_sink(path: Path, *, steps: Steps = no_steps, **options: Any) -> DeltaLedgerSink:
    settings = {
        "path": str(path),
        "key": ("id",),
        "version": "version",
        "create": True,
        "columns": COLUMNS,
        **options,
    }
    return DeltaLedgerSink(DeltaSinkOptions(**settings), steps=steps)


def opened(
    path: Path, epoch: int = 1, *, query: str = QUERY, steps: Steps = no_steps, **options: Any
) -> DeltaLedgerSink:
    sink = make_sink(path, steps=steps, **options)
    sink.open(query, epoch)
    return sink


def frame_of(
    spark: SparkSession, rows: Sequence[Sequence[Any]], columns: str = COLUMNS
) -> DataFrame:
    """In a session of its own, as the frames of a streaming query are."""
    return spark.newSession().createDataFrame([tuple(row) for row in rows], columns)


def batch_of(
    frame: DataFrame | Callable[[], DataFrame],
    batch_id: int,
    *,
    epoch: int = 1,
    sink: str = "gold",
    query: str = QUERY,
    offsets: Mapping[str, Any] | None = None,
) -> Batch:
    def given() -> DataFrame:
        return frame if isinstance(frame, DataFrame) else frame()

    return Batch(
        query_id=query,
        sink=sink,
        batch_id=batch_id,
        epoch=epoch,
        columns=given().columns if isinstance(frame, DataFrame) else (),
        rows=lambda: iter(()),
        offsets=offsets or {},
        frame=given,
    )


def never() -> DataFrame:
    raise AssertionError("the rows of a batch that is held were asked for")


def held(spark: SparkSession, path: Path) -> Counter[tuple[Any, ...]]:
    """Every row with how often it is there."""
    return Counter(tuple(row) for row in spark.read.format("delta").load(str(path)).collect())


def transactions(path: Path) -> list[tuple[str, int]]:
    """Every mark that the table's log ever got, in its order, read from the files themselves."""
    marks = []
    for file in sorted((path / "_delta_log").glob("*.json")):
        for line in file.read_text(encoding="utf-8").splitlines():
            action = json.loads(line)
            if "txn" in action:
                marks.append((action["txn"]["appId"], action["txn"]["version"]))
    return marks


def commits(path: Path) -> int:
    return len(list((path / "_delta_log").glob("*.json")))


class Background:
    """A call in a thread; its answer, or what it raised."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._answer: Any = None
        self.error: BaseException | None = None

        def work() -> None:
            try:
                self._answer = call()
            except BaseException as error:  # noqa: BLE001
                self.error = error

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def join(self) -> Any:
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive(), "it did not end"
        if self.error is not None:
            raise self.error
        return self._answer


def await_file(path: Path, maker: Background) -> None:
    """Wait for a file that a call in the background makes; what that raises is raised here."""
    deadline = time.monotonic() + DEADLINE_S
    while not path.exists():
        if maker.error is not None:
            raise maker.error
        assert time.monotonic() < deadline, f"{path.name} never came"
        time.sleep(0.02)
