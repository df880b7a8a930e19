"""What a case works with: a Spark session, its folder, and ways to drive a query to a clean end.

Everything recorded here is what the running query said: its id and its progress events.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any

import pyspark
from places import Place
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import DataStreamWriter

SCHEMA = "id LONG, key STRING, value LONG, ts TIMESTAMP"
# Fixed modification times make the file source take the files in the order of their numbers.
FIRST_FILE_TIME = 1_767_225_600
RUN_LIMIT_SECONDS = 180
MAINTENANCE_INTERVAL = "1s"


def session(jars: str = "", master: str = "local[2]", **conf: str) -> SparkSession:
    """A local session with Spark's defaults but for size, screen and maintenance pace.

    The maintenance interval is fixed by the first state store of a JVM, so it cannot be the
    setting of one case: one second lets snapshots appear while a small case still runs.
    """
    builder = SparkSession.builder.master(master).appName("holdfast-golden")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.stateStore.maintenanceInterval": MAINTENANCE_INTERVAL,
        "spark.sql.warehouse.dir": "/tmp/holdfast-golden/warehouse",
        **conf,
    }
    if jars:
        settings["spark.jars"] = jars
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF" if "HOLDFAST_LOUD" not in os.environ else "WARN")
    return spark


class Stage:
    """One case being made."""

    def __init__(self, spark: SparkSession, place: Place) -> None:
        self.spark = spark
        self.place = place
        self.progress: list[dict[str, Any]] = []
        self.query_id = ""
        self.run_ids: list[str] = []
        self.note = ""
        self.in_flight: int | None = None
        self._files = 0

    def put_files(self, count: int, folder: str = "input", minutes: int = 10) -> None:
        """Add small JSON files; event time moves on by `minutes` with each file."""
        target = self.place.root / folder
        target.mkdir(exist_ok=True)
        for _ in range(count):
            number = self._files
            self._files += 1
            rows = [event(number, row, minutes) for row in range(3)]
            path = target / f"{number:03}.json"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            moment = FIRST_FILE_TIME + number
            os.utime(path, (moment, moment))

    def files(self, folder: str = "input", per_batch: int = 1, name: str = "") -> DataFrame:
        """A stream of those files, `per_batch` files to a batch."""
        reader = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", per_batch)
        if name:
            reader = reader.name(name)
        return reader.format("json").load(str(self.place.root / folder))

    def writer(self, frame: DataFrame, sink: str = "noop", mode: str = "append") -> Any:
        """A writer with this case's checkpoint; the caller adds what is its own."""
        writer = frame.writeStream.outputMode(mode)
        writer = writer.option("checkpointLocation", str(self.place.checkpoint))
        return writer.format(sink) if sink else writer

    def drain(self, frame: DataFrame, sink: str = "noop", mode: str = "append") -> None:
        """Process all that is there and stop of its own accord (AvailableNow)."""
        self.finish(self.writer(frame, sink, mode).trigger(availableNow=True))

    def once(self, frame: DataFrame, runs: int, pause: float = 1.2) -> None:
        """One batch per run, for sources that never say they have no more."""
        for _ in range(runs):
            time.sleep(pause)
            self.finish(self.writer(frame).trigger(once=True))

    def finish(self, writer: DataStreamWriter, start: Callable[..., Any] | None = None) -> None:
        """Run a query that ends by itself, and take down what it reported."""
        query = start() if start else writer.start()
        try:
            if not query.awaitTermination(RUN_LIMIT_SECONDS):
                raise TimeoutError(f"the query did not end within {RUN_LIMIT_SECONDS} s")
        finally:
            query.stop()
            self.listen(query)

    def run_until(self, writer: DataStreamWriter, enough: Callable[[list[dict]], bool]) -> None:
        """Run a query that never ends until its progress satisfies `enough`, then stop it."""
        query = writer.start()
        limit = time.monotonic() + RUN_LIMIT_SECONDS
        try:
            while not enough(reported(query)):
                if query.exception() is not None:
                    raise query.exception()
                if time.monotonic() > limit:
                    raise TimeoutError("the query's progress never sufficed")
                time.sleep(0.2)
        finally:
            query.stop()
            self.listen(query)

    def listen(self, query: Any) -> None:
        """Add what this run of the query reported to what earlier runs did."""
        self.query_id = str(query.id)
        self.run_ids.append(str(query.runId))
        self.progress += reported(query)

    def resume(self) -> bool:
        """Take up the facts an earlier process left for this case; whether there were any."""
        if not self.place.facts.exists():
            return False
        facts = json.loads(self.place.facts.read_text())
        self.progress, self.run_ids = facts["progress"], facts["run_ids"]
        self._files = len(list((self.place.root / "input").iterdir()))
        return True

    def save(self) -> None:
        """Write the facts down at once, so that a kill that follows cannot take them away."""
        facts = {
            "spark_version": pyspark.__version__,
            "case": self.place.case,
            "query_id": self.query_id,
            "run_ids": self.run_ids,
            "progress": self.progress,
            "in_flight": self.in_flight,
            "note": self.note,
        }
        with self.place.facts.open("w") as stream:
            json.dump(facts, stream)
            stream.flush()
            os.fsync(stream.fileno())


def reported(query: Any) -> list[dict[str, Any]]:
    """The query's own progress events, raw: Python's classes for them differ by version."""
    return [json.loads(event.json()) for event in query._jsq.recentProgress()]


def event(number: int, row: int, minutes: int) -> dict[str, Any]:
    """Row `row` of file `number`, on a clock that is the data's own."""
    minute = number * minutes
    hours, minute = divmod(minute, 60)
    days, hour = divmod(hours, 24)
    return {
        "id": number * 10 + row,
        "key": "abc"[row],
        "value": number + row,
        "ts": f"2026-01-{1 + days:02}T{hour:02}:{minute:02}:{row:02}.000Z",
    }
