"""Appending to a Delta table with a ledger, and columns that come and go, on real Spark."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapters.sinks.delta_ledger import DeltaLedgerSink, Step
from holdfast.adapters.sinks.delta_log import DeltaLog
from holdfast.adapters.sinks.delta_mark import DeltaMark
from holdfast.adapters.spark.query import start_native
from holdfast.core.job import Job, SinkSpec, SourceSpec, TriggerSpec
from holdfast.core.running.ports import NativeSink
from holdfast.errors import FencedError, RefusedError
from tests.running.spark_sessions import fresh_session, lake_settings
from tests.sinks.delta_tables import (
    QUERY,
    Background,
    await_file,
    batch_of,
    commits,
    frame_of,
    held,
    never,
    transactions,
)
from tests.sinks.delta_tables import opened as opened_for_upsert
from tests.sinks.test_delta_upsert import slow

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1200)]
APP = f"holdfast:{QUERY}:gold"
ONE = [(1, 1, "a"), (2, 1, "b"), (1, 1, "a")]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with fresh_session(lake_settings(), "local[3]") as session:
        yield session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gold"


def opened(path: Path, epoch: int = 1, **options: Any) -> DeltaLedgerSink:
    return opened_for_upsert(
        path, epoch, **{"mode": "append", "key": (), "version": None, **options}
    )


def version(epoch: int, batch: int | None) -> int:
    return DeltaMark(epoch=epoch, last_batch=batch).version


def test_rows_and_mark_go_in_by_one_commit_and_once(spark: SparkSession, path: Path) -> None:
    sink = opened(path)
    assert sink.write(batch_of(frame_of(spark, ONE), 0)) is True
    before = commits(path)
    assert sink.write(batch_of(never, 0)) is False
    assert sink.write(batch_of(frame_of(spark, ONE), 1)) is True
    assert sink.write(batch_of(frame_of(spark, []), 2)) is True
    assert held(spark, path) == Counter(ONE * 2), "equal rows are all kept"
    assert commits(path) == before + 2
    assert transactions(path) == [(APP, version(1, batch)) for batch in (None, 0, 1, 2)]
    assert opened(path, 2).last_batch(QUERY) == 2


def test_a_batch_id_with_other_offsets_is_another_batch(spark: SparkSession, path: Path) -> None:
    sink = opened(path)
    sink.write(batch_of(frame_of(spark, ONE), 0, offsets={"0": {"end": 5}}))
    with pytest.raises(RefusedError, match="it is another batch, and skipping it would lose rows"):
        sink.write(batch_of(never, 0, offsets={"0": {"end": 9}}))


def test_a_writer_overtaken_before_its_commit_is_skipped_by_delta_itself(
    spark: SparkSession, path: Path
) -> None:
    def overtake(step: Step) -> None:
        if step == "merge":
            opened(path, 2)

    old = opened(path, 1, steps=overtake)
    with pytest.raises(FencedError, match="epoch 2 has taken over"):
        old.write(batch_of(frame_of(spark, ONE), 0))
    assert held(spark, path) == Counter()


def test_a_writer_overtaken_amid_its_commit_writes_nothing(
    spark: SparkSession, path: Path, tmp_path: Path
) -> None:
    old = opened(path, 1)
    old.write(batch_of(frame_of(spark, ONE), 0))
    inside, go_on = tmp_path / "inside", tmp_path / "go on"
    late = slow(frame_of(spark, [(3, 1, "late")]), inside, go_on)
    zombie = Background(lambda: old.write(batch_of(late, 1)))
    await_file(inside, zombie)
    new = opened(path, 2)
    assert new.last_batch(QUERY) == 0
    go_on.touch()
    with pytest.raises(FencedError, match="epoch 2 has taken over"):
        zombie.join()
    assert held(spark, path) == Counter(ONE)
    assert new.write(batch_of(late, 1, epoch=2)) is True
    assert held(spark, path) == Counter([*ONE, (3, 1, "late")])


def wider(spark: SparkSession, rows: list[Any]) -> DataFrame:
    return frame_of(spark, rows, "id long, version long, more struct<a:int>")


@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_columns_come_and_go_where_that_is_allowed(
    spark: SparkSession, path: Path, mode: str
) -> None:
    named = {"key": ("id",), "version": "version"} if mode == "upsert" else {}
    strict = opened(path, mode=mode, **named)
    strict.write(batch_of(frame_of(spark, ONE[:2]), 0))
    before = commits(path)
    rows = [(2, 2, (7,)), (3, 1, None)]
    with pytest.raises(RefusedError) as caught:
        strict.write(batch_of(wider(spark, rows), 1))
    assert "the table has no column 'more'; it has no column 'text'" in caught.value.message
    assert "merge_schema: true" in caught.value.next_action
    assert commits(path) == before
    sink = opened(path, mode=mode, merge_schema=True, **named)
    assert sink.write(batch_of(wider(spark, rows), 1)) is True
    assert sink.write(batch_of(never, 1)) is False
    if mode == "append":
        new = [(2, 2, None, (7,)), (3, 1, None, None)]
        expected = Counter([(1, 1, "a", None), (2, 1, "b", None), *new])
    else:
        expected = Counter([(1, 1, "a", None), (2, 2, "b", (7,)), (3, 1, None, None)])
    assert held(spark, path) == expected
    with pytest.raises(RefusedError, match="column 'id' is string, and in the table bigint"):
        odd = frame_of(spark, [("x", 1, "t")], "id string, version long, text string")
        sink.write(batch_of(odd, 2))


def test_a_tombstone_deletes_its_row_and_is_not_stored(spark: SparkSession, path: Path) -> None:
    named = {"mode": "upsert", "key": ("id",), "version": "version", "tombstone": "gone"}
    sink = opened(path, **named)

    def written(batch_id: int, rows: list[Any]) -> bool:
        frame = frame_of(spark, rows, "id long, version long, text string, gone boolean")
        return sink.write(batch_of(frame, batch_id))

    first = [(1, 1, "a", False), (2, 1, "b", None), (3, 1, "c", False), (4, 1, "d", True)]
    assert written(0, first)
    assert held(spark, path) == Counter([(1, 1, "a"), (2, 1, "b"), (3, 1, "c")])
    assert written(
        1, [(1, 2, None, True), (2, 0, None, True), (3, 2, "x", True), (3, 3, "y", None)]
    )
    assert held(spark, path) == Counter([(2, 1, "b"), (3, 3, "y")]), (
        "an older deletion is passed by"
    )
    assert sink.write(batch_of(never, 1)) is False
    with pytest.raises(RefusedError, match="its tombstone 'gone' is string, and not boolean"):
        odd = frame_of(spark, [(1, 1, "a", "x")], "id long, version long, text string, gone string")
        sink.write(batch_of(odd, 2))
    made = path.with_name("made")
    other = opened(made, columns=None, **named)
    frame = frame_of(spark, first, "id long, version long, text string, gone boolean")
    other.write(batch_of(frame, 0, sink="made"))
    assert held(spark, made) == Counter([(1, 1, "a"), (2, 1, "b"), (3, 1, "c")])


def test_a_table_that_forgets_its_marks_is_refused_also_for_deltas_own_sink(
    spark: SparkSession, path: Path, tmp_path: Path
) -> None:
    opened(path)
    name = "delta.setTransactionRetentionDuration"
    spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('{name}' = 'interval 1 days')")
    with pytest.raises(RefusedError, match="forgets its marks"):
        opened(path, 2)
    job = Job(
        name="gold",
        source=SourceSpec(format="rate", path=None, schema=None, options={}, job=None),
        transform=None,
        sink=SinkSpec(kind="delta", options={"path": str(path)}),
        trigger=TriggerSpec(kind="available-now", interval=None),
        output_mode="append",
        checkpoint=str(tmp_path / "checkpoint"),
    )
    native = NativeSink(format="delta", path=str(path), options={})
    rate = spark.readStream.format("rate").load()
    with pytest.raises(RefusedError, match="forgets its marks"):
        start_native(rate, job, native, once=True)
    assert DeltaLog(spark, str(path), "gold").exists()
    assert not (tmp_path / "checkpoint").exists()
