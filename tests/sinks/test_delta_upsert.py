"""A Delta table on real Spark: rows and mark by one commit, fenced by epoch."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from holdfast.adapters.sinks.delta_ledger import Step
from holdfast.adapters.sinks.delta_mark import DeltaMark
from holdfast.core.running.ports import BatchSink
from holdfast.errors import FencedError, InternalError, RefusedError, UsageError
from tests.running.spark_sessions import fresh_session, lake_settings
from tests.sinks.delta_tables import (
    QUERY,
    Background,
    await_file,
    batch_of,
    commits,
    frame_of,
    held,
    make_sink,
    never,
    opened,
    transactions,
)

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1200)]
APP = f"holdfast:{QUERY}:gold"
ONE = [(1, 1, "a"), (2, 1, "b")]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    # One of three cores may wait inside a MERGE while others go on.
    with fresh_session(lake_settings(), "local[3]") as session:
        yield session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gold"


def version(epoch: int, batch: int | None) -> int:
    return DeltaMark(epoch=epoch, last_batch=batch).version


def test_a_batch_is_written_once_however_often_it_comes(spark: SparkSession, path: Path) -> None:
    sink: BatchSink = opened(path)
    assert sink.last_batch(QUERY) is None
    assert sink.write(batch_of(frame_of(spark, ONE), 0)) is True
    before = commits(path)
    assert sink.write(batch_of(never, 0)) is False
    assert opened(path, 2).write(batch_of(never, 0, epoch=2)) is False
    assert sink.last_batch(QUERY) == 0
    assert held(spark, path) == Counter(ONE)
    assert commits(path) == before + 1, "the fence of epoch 2 alone"
    assert transactions(path) == [
        (APP, version(1, None)),
        (APP, version(1, 0)),
        (APP, version(2, 0)),
    ]


def test_a_batch_without_effect_and_one_without_rows_leave_their_marks(
    spark: SparkSession, path: Path
) -> None:
    sink = opened(path)
    sink.write(batch_of(frame_of(spark, ONE), 0))
    assert sink.write(batch_of(frame_of(spark, ONE), 1)) is True
    assert sink.write(batch_of(frame_of(spark, []), 2)) is True
    assert sink.last_batch(QUERY) == 2
    assert held(spark, path) == Counter(ONE)


def test_older_versions_and_repeated_keys_change_nothing(spark: SparkSession, path: Path) -> None:
    sink = opened(path)
    first = [
        (1, 5, "x"),
        (1, 5, "y"),
        (1, 4, "z"),
        (None, None, "n"),
        (2, None, "p"),
        (2, None, "q"),
    ]
    sink.write(batch_of(frame_of(spark, first).repartition(3), 0))
    assert held(spark, path) == Counter([(1, 5, "y"), (None, None, "n"), (2, None, "q")])
    later = [(1, 4, "old"), (1, 5, "same"), (None, 0, "m"), (2, None, "z"), (3, 1, "new")]
    sink.write(batch_of(frame_of(spark, later), 1))
    assert held(spark, path) == Counter(
        [(1, 5, "y"), (None, 0, "m"), (2, None, "q"), (3, 1, "new")]
    )


def test_without_a_version_the_later_batch_wins(spark: SparkSession, path: Path) -> None:
    sink = opened(path, version=None)
    sink.write(batch_of(frame_of(spark, [(1, 9, "a"), (2, 1, "b")]), 0))
    sink.write(batch_of(frame_of(spark, [(1, 1, "c")]), 1))
    assert held(spark, path) == Counter([(1, 1, "c"), (2, 1, "b")])


def test_a_table_from_the_first_batch(spark: SparkSession, path: Path) -> None:
    columns = "id string, `odd``name.` map<string,int>, at timestamp, tags array<string>"
    sink = opened(path, columns=None, version=None, key=("id",), partition_by=("id",))
    assert not path.exists(), "nothing is known of the columns yet"
    rows = [("a", {"x": 1}, None, ["t"]), ("a", {"x": 2}, None, ["t"])]
    assert sink.write(batch_of(frame_of(spark, rows, columns), 0)) is True
    found = spark.read.format("delta").load(str(path)).collect()
    assert [tuple(row) for row in found] == [("a", {"x": 2}, None, ["t"])]
    assert transactions(path) == [(APP, version(1, None)), (APP, version(1, 0))]
    assert (path / "id=a").is_dir()


def test_settings_are_only_there_for_the_merge(spark: SparkSession, path: Path) -> None:
    name = "spark.databricks.delta.write.txnVersion"
    seen: list[str | None] = []
    frame = frame_of(spark, ONE)
    sink = opened(path, steps=lambda step: seen.append(frame.sparkSession.conf.get(name, None)))
    sink.write(batch_of(frame, 0))
    ours = str(version(1, 0))
    assert seen == [None, None, ours, ours, None]
    assert spark.conf.get(name, None) is None
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (9, 9, 'by hand')")
    assert held(spark, path) == Counter([*ONE, (9, 9, "by hand")])


def test_the_history_tells_which_batch_a_commit_is(spark: SparkSession, path: Path) -> None:
    opened(path, 3).write(batch_of(frame_of(spark, ONE), 7, epoch=3))
    history = spark.sql(f"DESCRIBE HISTORY delta.`{path}`").where("operation = 'MERGE'")
    (row,) = history.select("userMetadata").collect()
    said = {"query": QUERY, "batch": 7, "epoch": 3, "offsets": ""}
    assert json.loads(row[0]) == {"holdfast": said}


def test_a_batch_id_with_other_offsets_is_another_batch(spark: SparkSession, path: Path) -> None:
    sink = opened(path)
    offsets = {"0": {"start": 1, "end": 5}}
    assert sink.write(batch_of(frame_of(spark, ONE), 0, offsets=offsets)) is True
    again = {"0": {"end": 5, "start": 1}}
    assert sink.write(batch_of(never, 0, offsets=again)) is False
    assert sink.write(batch_of(never, 0)) is False, "unknown offsets are no contradiction"
    with pytest.raises(RefusedError, match="it is another batch, and skipping it would lose rows"):
        sink.write(batch_of(never, 0, offsets={"0": {"start": 1, "end": 9}}))
    assert held(spark, path) == Counter(ONE)


def test_a_lower_epoch_is_fenced_in_open_and_in_write(spark: SparkSession, path: Path) -> None:
    old = opened(path, 1)
    old.write(batch_of(frame_of(spark, ONE), 0))
    opened(path, 2)
    before = commits(path)
    for batch_id in (0, 1):
        with pytest.raises(
            FencedError, match=r"epoch 2 has taken over sink 'gold'; this is epoch 1"
        ):
            old.write(batch_of(never, batch_id))
    with pytest.raises(FencedError):
        old.open(QUERY, 1)
    assert commits(path) == before


def test_a_writer_overtaken_before_its_merge_is_skipped_by_delta_itself(
    spark: SparkSession, path: Path
) -> None:
    def overtake(step: Step) -> None:
        if step == "merge":
            opened(path, 2)

    old = opened(path, 1, steps=overtake)
    with pytest.raises(FencedError, match="epoch 2 has taken over"):
        old.write(batch_of(frame_of(spark, ONE), 0))
    assert held(spark, path) == Counter()
    new = opened(path, 2)
    assert new.last_batch(QUERY) is None
    assert new.write(batch_of(frame_of(spark, ONE), 0, epoch=2)) is True
    assert held(spark, path) == Counter(ONE)


def slow(frame: DataFrame, inside: Path, go_on: Path) -> DataFrame:
    """The same rows; whoever reads them waits until it may go on."""
    here, there = str(inside), str(go_on)

    @F.udf("long", useArrow=False)
    def wait(value: int) -> int:
        Path(here).touch()
        deadline = time.monotonic() + 120
        while not Path(there).exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return value

    return frame.coalesce(1).withColumn("version", wait("version"))


def in_merge(monkeypatch: pytest.MonkeyPatch, slow_epoch: int, inside: Path, go_on: Path) -> None:
    """Let the rows of one epoch be computed inside its MERGE, slowly."""
    commit = opened.__globals__["DeltaLedgerSink"]._commit

    def slowly(self: Any, batch: Any, rows: DataFrame, mark: DeltaMark) -> None:
        is_slow = batch.epoch == slow_epoch
        commit(self, batch, slow(rows, inside, go_on) if is_slow else rows, mark)

    monkeypatch.setattr("holdfast.adapters.sinks.delta_ledger.DeltaLedgerSink._commit", slowly)


def test_a_writer_overtaken_amid_its_merge_writes_nothing(
    spark: SparkSession, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = opened(path, 1)
    old.write(batch_of(frame_of(spark, ONE), 0))
    inside, go_on = tmp_path / "inside", tmp_path / "go on"
    in_merge(monkeypatch, 1, inside, go_on)
    late = frame_of(spark, [(1, 2, "late"), (3, 1, "late")])
    zombie = Background(lambda: old.write(batch_of(late, 1)))
    await_file(inside, zombie)
    new = opened(path, 2)
    assert new.last_batch(QUERY) == 0
    go_on.touch()
    with pytest.raises(FencedError, match="epoch 2 has taken over"):
        zombie.join()
    assert held(spark, path) == Counter(ONE)
    assert new.write(batch_of(late, 1, epoch=2)) is True
    assert held(spark, path) == Counter([(1, 2, "late"), (2, 1, "b"), (3, 1, "late")])


def test_a_batch_that_comes_in_while_the_fence_is_raised_is_not_forgotten(
    spark: SparkSession, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = opened(path, 1)
    old.write(batch_of(frame_of(spark, ONE), 0))
    between = [lambda: old.write(batch_of(frame_of(spark, [(3, 1, "c")]), 1))]
    commit = "holdfast.adapters.sinks.delta_log.DeltaLog._commit"
    original = make_sink(path)._log(spark)._commit.__func__  # type: ignore[attr-defined]

    def late(self: Any, *given: Any) -> None:
        if between:
            between.pop()()
        original(self, *given)

    monkeypatch.setattr(commit, late)
    new = opened(path, 2)
    assert new.last_batch(QUERY) == 1
    assert new.write(batch_of(never, 1, epoch=2)) is False
    assert transactions(path)[-1] == (APP, version(2, 1))
    with pytest.raises(FencedError):
        old.write(batch_of(never, 2))


def test_queries_neither_share_marks_nor_fence_each_other(spark: SparkSession, path: Path) -> None:
    mine, yours = opened(path, 1), opened(path, 9, query="another")
    assert mine.write(batch_of(frame_of(spark, ONE), 0)) is True
    other = frame_of(spark, [(5, 1, "e")])
    assert yours.write(batch_of(other, 0, epoch=9, query="another")) is True
    assert mine.write(batch_of(frame_of(spark, [(6, 1, "f")]), 1)) is True
    assert held(spark, path) == Counter([*ONE, (5, 1, "e"), (6, 1, "f")])
    assert (mine.last_batch(QUERY), yours.last_batch("another")) == (1, 0)


def test_two_writers_at_once_both_get_in(
    spark: SparkSession, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, yours = opened(path, 1), opened(path, 2, query="another")
    yours.write(batch_of(frame_of(spark, ONE), 0, epoch=2, query="another"))
    inside, go_on = tmp_path / "inside", tmp_path / "go on"
    in_merge(monkeypatch, 1, inside, go_on)
    first = Background(lambda: mine.write(batch_of(frame_of(spark, [(1, 3, "mine")]), 0)))
    await_file(inside, first)
    rows = [(1, 2, "yours"), (2, 2, "yours")]
    yours.write(batch_of(frame_of(spark, rows), 1, epoch=2, query="another"))
    go_on.touch()
    assert first.join() is True
    assert held(spark, path) == Counter([(1, 3, "mine"), (2, 2, "yours")])
    assert transactions(path)[-1] == (APP, version(1, 0))


def test_many_writers_at_once(spark: SparkSession, path: Path) -> None:
    ready = threading.Barrier(3)

    def write(query: str) -> None:
        sink = opened(path, 1, query=query)
        for batch_id in range(3):
            ready.wait(120)
            rows = [(key, batch_id, query) for key in range(5)] + [(hash(query), batch_id, query)]
            assert sink.write(batch_of(frame_of(spark, rows), batch_id, query=query)) is True

    opened(path, 1, query="q0")
    workers = [Background(lambda q=f"q{n}": write(q)) for n in range(3)]  # type: ignore[misc]
    for worker in workers:
        worker.join()
    found = held(spark, path)
    assert sorted(row[0] for row in found.elements()) == sorted(
        [*range(5), *(hash(f"q{n}") for n in range(3))]
    )
    assert {row[1] for row in found} == {2}


def test_columns_that_do_not_fit_are_named_and_nothing_is_written(
    spark: SparkSession, path: Path
) -> None:
    sink = opened(path)
    before = commits(path)
    wrong = frame_of(spark, [(1, "1", 2)], "id long, Version string, more int")
    with pytest.raises(RefusedError) as caught:
        sink.write(batch_of(wrong, 0))
    assert caught.value.message == (
        "batch 0 does not fit table 'gold': it has no column 'version', which version names; "
        "column 'Version' is called 'version' in the table; the table has no column 'more'; "
        "it has no column 'text'"
    )
    wrong = frame_of(spark, [(1, "1", "t")], "id long, version string, text string")
    with pytest.raises(RefusedError, match="column 'version' is string, and in the table bigint"):
        sink.write(batch_of(wrong, 0))
    assert commits(path) == before
    assert sink.write(batch_of(frame_of(spark, ONE), 0)) is True


def test_rows_that_break_a_rule_of_the_table_are_refused(spark: SparkSession, path: Path) -> None:
    sink = opened(path, columns="id long NOT NULL, version long, text string")
    with pytest.raises(RefusedError, match="batch 0 breaks a rule of the table"):
        sink.write(batch_of(frame_of(spark, [*ONE, (None, 1, "c")]), 0))
    assert held(spark, path) == Counter()
    assert sink.write(batch_of(frame_of(spark, ONE), 0)) is True


def test_a_table_that_forgets_its_marks_is_refused(spark: SparkSession, path: Path) -> None:
    opened(path)
    name = "delta.setTransactionRetentionDuration"
    spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('{name}' = 'interval 1 days')")
    with pytest.raises(RefusedError, match="forgets its marks") as caught:
        opened(path, 2)
    assert "UNSET TBLPROPERTIES" in caught.value.next_action


def test_a_table_that_was_replaced_is_not_begun_anew(spark: SparkSession, path: Path) -> None:
    sink = opened(path)
    sink.write(batch_of(frame_of(spark, ONE), 0))
    path.rename(path.with_name("aside"))
    with pytest.raises(RefusedError, match="table 'gold' is gone"):
        sink.write(batch_of(never, 1))
    opened(path, query="another")
    with pytest.raises(RefusedError, match="has lost the marks of the query since it was opened"):
        sink.write(batch_of(never, 1))


def test_without_create_nothing_is_created(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no table"):
        opened(path, create=False, columns=None)
    assert not path.exists()
    path.mkdir()
    (path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="is no table and is not empty: it holds 'notes"):
        opened(path)
    with pytest.raises(UsageError, match="columns are no DDL"):
        opened(tmp_path / "x", columns="id long version")
    with pytest.raises(UsageError, match="columns do not fit: it has no column 'id', which key"):
        opened(tmp_path / "x", columns="version long, name string")
    assert not (tmp_path / "x").exists()
    assert [file.name for file in path.iterdir()] == ["notes.txt"]


def test_mistakes_of_the_caller_are_named(spark: SparkSession, path: Path) -> None:
    with pytest.raises(InternalError, match="was not opened for this query"):
        make_sink(path).write(batch_of(never, 0))
    sink = opened(path)
    with pytest.raises(InternalError, match="a batch for sink 'other' came to sink 'gold'"):
        sink.write(batch_of(never, 0, sink="other"))


def test_nothing_stays_in_memory(spark: SparkSession, path: Path) -> None:
    def cached() -> set[int]:
        return set(spark.sparkContext._jsc.getPersistentRDDs().keySet())  # type: ignore[union-attr]

    seen: dict[Step, set[int]] = {}
    frame = frame_of(spark, ONE)
    opened(path, steps=lambda step: seen.update({step: cached()})).write(batch_of(frame, 0))
    ours = seen["rows"] - seen["begin"]
    assert ours
    assert not ours & cached()
    assert frame.sparkSession.catalog.listTables() == []
