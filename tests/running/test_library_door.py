"""`holdfast.start` and `holdfast.sink` around ordinary PySpark code, on real Spark."""

import json
import sqlite3
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

import holdfast
from holdfast.core.running.event import Warned
from tests.running.spark_sessions import fresh_session

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with fresh_session() as session:
        yield session


class Place:
    """A folder of input, a checkpoint, a database."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.checkpoint = str(folder / "checkpoints" / "door")
        self.database = folder / "out.db"
        self.records = folder / "checkpoints" / "_holdfast" / "door"
        self.fed: list[int] = []
        (folder / "in").mkdir()

    def feed(self) -> None:
        numbers = range(len(self.fed), len(self.fed) + 10)
        name = f"{len(self.fed):05d}.json"
        text = "".join(f'{{"value": {n}}}\n' for n in numbers)
        (self.folder / name).write_text(text)
        (self.folder / name).rename(self.folder / "in" / name)
        self.fed += numbers

    def writer(self) -> Any:
        rows = self.spark.readStream.schema("value long").json(str(self.folder / "in"))
        return rows.writeStream.trigger(availableNow=True)

    def start(self, **options: Any) -> Any:
        sink = holdfast.sink("sql", url=f"sqlite:///{self.database}", table="numbers", create=True)
        writer = self.writer().foreachBatch(sink)
        return holdfast.start(writer, name="door", checkpoint=self.checkpoint, **options)

    def rows(self) -> Counter[int]:
        with sqlite3.connect(self.database) as connection:
            return Counter(n for (n,) in connection.execute("SELECT value FROM numbers"))

    def ends(self) -> list[str]:
        return [json.loads(p.read_text())["end"] for p in sorted(self.records.glob("runs/*.end"))]


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    return Place(spark, tmp_path)


def test_rows_arrive_once_and_the_run_is_written_down(place: Place) -> None:
    for _ in range(2):
        place.feed()
        query = place.start()
        query.awaitTermination()
        assert query.result.end == "drained" and query.result.rows == 10
    assert place.rows() == Counter(place.fed)
    assert place.ends() == ["drained", "drained"]
    assert {path.name for path in place.records.iterdir()} >= {"lease", "runs", "identity.json"}
    ledger = sqlite3.connect(place.database).execute("SELECT offsets FROM holdfast_batches")
    assert [json.loads(row[0])["0"]["end"] for row in ledger] == [
        {"logOffset": 0},
        {"logOffset": 1},
    ]


def test_a_second_start_of_a_living_query_is_refused(place: Place) -> None:
    place.feed()
    sink = holdfast.sink("sql", url=f"sqlite:///{place.database}", table="numbers", create=True)
    writer = place.writer().trigger(processingTime="1 hour").foreachBatch(sink)
    query = holdfast.start(writer, name="door", checkpoint=place.checkpoint)
    try:
        with pytest.raises(holdfast.LeaseHeldError, match="which is alive"):
            place.start()
    finally:
        query.stop()
    assert query.result.end == "stopped" and place.ends() == ["stopped"]
    place.start().awaitTermination()
    assert place.rows() == Counter(place.fed)


def test_a_batch_that_failed_is_told_and_comes_again_once(place: Place) -> None:
    place.feed()
    place.start().awaitTermination()
    with sqlite3.connect(place.database) as connection:
        connection.execute("ALTER TABLE numbers RENAME TO aside")
        connection.execute("CREATE TABLE numbers (other TEXT)")
    place.feed()
    query = place.start()
    with pytest.raises(Exception, match=r"STREAM_FAILED|terminated with exception"):
        query.awaitTermination()
    query.stop()
    assert query.result.end == "failed" and query.result.code == "HF020"
    assert "the table has no column 'value'" in query.result.cause
    with sqlite3.connect(place.database) as connection:
        connection.execute("DROP TABLE numbers")
        connection.execute("ALTER TABLE aside RENAME TO numbers")
    place.start().awaitTermination()
    assert place.rows() == Counter(place.fed)


def test_a_sink_of_ours_writes_nothing_without_a_lease(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.spark.ledger_writer.BOUND_WITHIN_S", 0.1)
    place.feed()
    sink = holdfast.sink("sql", url=f"sqlite:///{place.database}", table="numbers", create=True)
    query = place.writer().foreachBatch(sink).option("checkpointLocation", place.checkpoint).start()
    with pytest.raises(Exception, match="started without one"):
        query.awaitTermination()
    assert not place.database.exists()


def test_what_is_no_writer_and_what_spark_writes_itself(place: Place) -> None:
    with pytest.raises(holdfast.UsageError, match="not str"):
        holdfast.start("a writer", name="door", checkpoint=place.checkpoint)
    with pytest.raises(holdfast.UsageError, match="written by Spark itself"):
        holdfast.sink("file", path="/data/out")
    with pytest.raises(holdfast.UsageError, match="no sink of kind 'sqll'"):
        holdfast.sink("sqll", url="x")


def test_a_query_that_spark_refuses_gives_the_lease_back(place: Place) -> None:
    counted = place.spark.readStream.format("rate").load().groupBy("value").count()
    writer = counted.writeStream.format("parquet").option("path", str(place.folder / "out"))
    with pytest.raises(holdfast.UsageError, match="did not start"):
        holdfast.start(writer, name="door", checkpoint=place.checkpoint)
    place.feed()
    query = place.start()
    query.awaitTermination()
    assert (query.result.end, query.epoch) == ("drained", 2)


def test_a_native_sink_has_the_same_guards(place: Place) -> None:
    place.feed()
    writer = place.writer().format("parquet").option("path", str(place.folder / "out"))
    query = holdfast.start(writer, name="door", checkpoint=place.checkpoint)
    query.awaitTermination()
    assert query.result.end == "drained"
    read = place.spark.read.parquet(str(place.folder / "out")).collect()
    assert Counter(row.value for row in read) == Counter(place.fed)


def test_a_kill_during_the_very_first_plan_is_no_dead_end(place: Place) -> None:
    """Spark's own start is refused there: the control that shows why something must be done."""
    place.start().awaitTermination()
    leftover = Path(place.checkpoint) / "offsets" / f".0.{uuid.uuid4()}.tmp"
    assert list(leftover.parent.iterdir()) == []
    leftover.write_bytes(b"v1\n{")
    checksum = leftover.parent / f".{leftover.name}.crc"
    checksum.write_bytes(b"crc\0")
    place.feed()
    assert holdfast.show(place.checkpoint).checkpoint.restart.kind == "refused"
    if not pyspark.__version__.startswith("4.0."):  # which begins there, as it should
        writer = place.writer().format("noop")
        by_hand = writer.option("checkpointLocation", place.checkpoint).start()
        with pytest.raises(Exception, match="CHECKPOINT_LOCATION_NOT_EMPTY"):
            by_hand.awaitTermination()
    events: list[Any] = []
    query = place.start(tell=events.append)
    query.awaitTermination()
    assert query.result.end == "drained" and place.rows() == Counter(place.fed)
    assert "HF222" in [event.finding.code for event in events if isinstance(event, Warned)]
    aside = place.records / "archive" / f"first-plan-{query.epoch:020d}" / "offsets"
    assert {path.name for path in aside.iterdir()} == {leftover.name, checksum.name}


def test_logs_that_were_emptied_are_no_leftovers(place: Place) -> None:
    place.feed()
    place.start().awaitTermination()
    for path in (Path(place.checkpoint) / "offsets").iterdir():
        path.unlink()
    (Path(place.checkpoint) / "offsets" / f".0.{uuid.uuid4()}.tmp").touch()
    with pytest.raises(holdfast.RefusedError):
        place.start()
    assert not (place.records / "archive").exists()
