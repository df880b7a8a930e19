"""Delta's own sink, Spark's own file sink and ours on real Spark: what each remembers."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import holdfast
from holdfast.core.fact import Absent, Known
from holdfast.ledgers import differences, read_memory, side_by_side
from tests.running.spark_sessions import fresh_session, lake_settings
from tests.sinks import delta_tables

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with fresh_session(lake_settings()) as session:
        yield session


@pytest.fixture(scope="module")
def written(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two queries over the same three files of input, one file a batch: to Delta and to Parquet."""
    folder = tmp_path_factory.mktemp("native")
    (folder / "in").mkdir()
    for number in range(3):
        (folder / "in" / f"{number}.json").write_text(f'{{"id":{number}}}\n{{"id":9}}\n')
    for form in ("delta", "parquet"):
        run(spark, folder, form)
    return folder


def run(spark: SparkSession, folder: Path, form: str, where: str = "true") -> None:
    reader = spark.readStream.schema("id long").option("maxFilesPerTrigger", 1)
    frame = reader.json(str(folder / "in")).where(where)
    writer = frame.writeStream.format(form).trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(folder / f"ck-{form}"))
    writer.start(str(folder / form)).awaitTermination(300)


def logs(checkpoint: Path) -> tuple[list[int], list[int], str]:
    found = holdfast.show(str(checkpoint)).checkpoint
    assert isinstance(found.query_id, Known)
    return list(found.offsets.ids), list(found.commits.ids), found.query_id.value


def test_the_native_delta_sink(written: Path) -> None:
    planned, committed, query = logs(written / "ck-delta")
    memory = read_memory(f"delta:{written / 'delta'}", query)
    assert isinstance(memory.last, Known) and memory.last.value == 2
    assert isinstance(memory.key, Known) and memory.key.value == query
    assert [(mark.batch, mark.rows) for mark in memory.batches] == [(2, 2), (1, 2), (0, 2)]
    assert memory.others == () and memory.oldest_known == 0
    assert differences(planned, committed, memory).rows == ()
    rows = side_by_side(planned, committed, memory).rows
    assert [(row.batch, row.checkpoint, row.sink) for row in rows] == [
        (2, "committed", "held"),
        (1, "committed", "held"),
        (0, "committed", "held"),
    ]


def test_the_native_file_sink(written: Path) -> None:
    planned, committed, query = logs(written / "ck-parquet")
    memory = read_memory(f"spark-parquet:{written / 'parquet'}", query)
    assert isinstance(memory.last, Known) and memory.last.value == 2
    assert isinstance(memory.key, Absent) and memory.notes == ()
    assert differences(planned, committed, memory).rows == ()


@pytest.mark.parametrize("form", ["delta", "parquet"])
def test_a_batch_without_rows_is_no_hole(
    spark: SparkSession, written: Path, tmp_path: Path, form: str
) -> None:
    shutil.copytree(written / "in", tmp_path / "in")
    run(spark, tmp_path, form, where="id IN (0, 2)")
    planned, committed, query = logs(tmp_path / f"ck-{form}")
    kind = "delta" if form == "delta" else "spark-parquet"
    memory = read_memory(f"{kind}:{tmp_path / form}", query)
    assert [mark.batch for mark in memory.batches] == [2, 1, 0] and memory.oldest_known == 0
    assert differences(planned, committed, memory).rows == ()


def test_a_batch_that_died_between_the_sink_and_the_commit(written: Path, tmp_path: Path) -> None:
    checkpoint = shutil.copytree(written / "ck-delta", tmp_path / "ck")
    (checkpoint / "commits" / "2").unlink()
    planned, committed, query = logs(checkpoint)
    memory = read_memory(f"delta:{written / 'delta'}", query)
    found = differences(planned, committed, memory)
    assert [(row.batch, row.differs) for row in found.rows] == [(2, "in-sink-not-committed")]


def test_a_checkpoint_that_was_emptied_and_kept_its_id(
    spark: SparkSession, written: Path, tmp_path: Path
) -> None:
    """Spark drops the new batch 0 without a word, and both ledgers say so before it happens."""
    folder = shutil.copytree(written, tmp_path / "emptied")
    checkpoint = folder / "ck-delta"
    for name in ("offsets", "commits", "sources"):
        shutil.rmtree(checkpoint / name)
    query = logs_of_nothing(checkpoint)
    memory = read_memory(f"delta:{folder / 'delta'}", query)
    found = differences([], [], memory)
    assert found.ahead_by == 3 and {row.differs for row in found.rows} == {"sink-ahead"}
    shutil.rmtree(folder / "in")
    (folder / "in").mkdir()
    (folder / "in" / "new.json").write_text('{"id":100}\n')
    run(spark, folder, "delta")
    after = read_memory(f"delta:{folder / 'delta'}", query)
    assert after.last == Known(2, f"{folder / 'delta'}/_delta_log")
    assert after.batches == memory.batches, "the batch was dropped"


def logs_of_nothing(checkpoint: Path) -> str:
    text = (checkpoint / "metadata").read_text()
    return text.partition('"id":"')[2].partition('"')[0]


def test_a_reset_leaves_the_trace_of_the_first_query(
    spark: SparkSession, written: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(written, tmp_path / "reset")
    _, _, first = logs(folder / "ck-delta")
    shutil.rmtree(folder / "ck-delta")
    run(spark, folder, "delta")
    _, _, second = logs(folder / "ck-delta")
    memory = read_memory(f"delta:{folder / 'delta'}", second)
    assert isinstance(memory.last, Known) and memory.last.value == 2
    assert [(other.key, other.last) for other in memory.others] == [(first, 2)]


def test_foreach_batch_with_an_application_of_its_own(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "gold"
    for version in range(3):
        frame = spark.range(5).write.format("delta").mode("append")
        frame.option("txnAppId", "nightly").option("txnVersion", version).save(str(path))
    found = read_memory(f"delta-txn:{path}?app=nightly", None)
    assert isinstance(found.last, Known) and found.last.value == 2
    assert [(mark.batch, mark.rows) for mark in found.batches] == [(2, 5), (1, 5), (0, 5)]


def test_our_own_delta_sink(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "gold"
    sink = delta_tables.opened(path)
    sink.write(delta_tables.batch_of(delta_tables.frame_of(spark, [(1, 1, "a")]), 0))
    again = delta_tables.opened(path, 2)
    again.write(delta_tables.batch_of(delta_tables.frame_of(spark, [(2, 1, "a")]), 1, epoch=2))
    found = read_memory(f"delta:{path}", delta_tables.QUERY)
    assert found.skips == "checked"
    assert isinstance(found.last, Known)
    assert found.last.value == again.last_batch(delta_tables.QUERY) == 1
    assert [(mark.batch, mark.rows) for mark in found.batches] == [(1, 1), (0, 1)]
