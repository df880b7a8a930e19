"""Large batches into PostgreSQL by one COPY of Arrow batches, in the transaction of the mark."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import holdfast
from holdfast.adapters.sinks.databases.postgres_stages import PostgresStages
from holdfast.adapters.sinks.sql import SqlSink
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_table import bulk
from holdfast.adapters.spark import columns
from holdfast.adapters.spark.columns import arrow_of
from holdfast.adapters.spark.ledger_writer import LedgerWriter
from holdfast.errors import FencedError, RefusedError, UnreachableError
from tests.running.spark_sessions import fresh_session
from tests.sinks.bulk_batches import frame_batch
from tests.sinks.servers import pg, pg_rows, postgres_url, server_sink
from tests.sinks.stream_batches import FIRST, Asked, begun

pytestmark = [pytest.mark.spark, pytest.mark.server]
MIXED = (
    "small short, whole int, long long, real float, double double, flag boolean,"
    " price decimal(18,2), huge decimal(38,20), text string, raw binary, day date,"
    " at timestamp, local timestamp_ntz, tiny byte"
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_url() as found:
        yield found


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with fresh_session(master="local[2]") as session:
        yield session


@pytest.fixture(autouse=True)
def every_batch_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "LARGE_ROWS", 1)
    monkeypatch.setattr(bulk, "STREAM_ROW_BYTES_MAX", 1_000_000)


def mixed(spark: SparkSession) -> DataFrame:
    zoned = datetime(2024, 2, 29, 23, 59, 59, 999_999, UTC)
    local = datetime(1, 1, 1, tzinfo=UTC).replace(tzinfo=None)
    huge = Decimal("-123456789012345678.00000000000000000001")
    row = (-1, 2**31 - 1, -(2**63), 0.1, -0.0, True, Decimal("-12.30"), huge)
    row += ("é😀\n\\N\t'\"", b"\x00\xff", date(1, 1, 1), zoned, local, -128)
    nan = (0, 0, 0, float("inf"), float("nan"), False, Decimal(0), Decimal(0))
    nan += ("", b"", date(9999, 12, 31), zoned, local, 127)
    many = [
        (
            *(i, -i, i << 33, i / 7, i / 3, i % 2 == 0, Decimal(i * 9_999), Decimal(i) / 64),
            *("x" * i, b"1" * (2_000 - i), date(1970, 1, 1), zoned, local, i % 100),
        )
        for i in range(60)
    ]
    nothing = (None,) * len(row)
    some = [
        tuple(None if (i + j) % 5 == 0 else v for j, v in enumerate(r)) for i, r in enumerate(many)
    ]
    return spark.createDataFrame([row, row, nothing, nan, *many, *some], MIXED).repartition(3)


def test_all_types_come_in_as_by_the_other_roads_with_the_digest_of_a_staged_batch(
    url: str, spark: SparkSession
) -> None:
    frame = mixed(spark).localCheckpoint()
    asked = Asked(frame)
    sink = begun(url, "streamed", frame)
    assert sink.write(asked.batch(1, "streamed")) is True
    assert sink.write(asked.batch(1, "streamed")) is False
    assert asked.roads == ["stream"]
    for table, options in {"staged": {"bulk": "always"}, "direct": {"bulk": "never"}}.items():
        other = server_sink(url, table, create=True, **options)
        assert other.write(frame_batch(frame.limit(FIRST), 0, sink=table))
        assert other.write(frame_batch(frame, 1, sink=table))
    shown = "streamed::text"
    found = pg_rows(url, "streamed", shown)
    assert sum(found.values()) == frame.count() + FIRST
    assert found == pg_rows(url, "staged", "staged::text")
    assert found == pg_rows(url, "direct", "direct::text")
    (_, mine), (_, theirs) = read_ledger(url, "streamed"), read_ledger(url, "staged")
    assert (mine.rows, mine.digest) == (theirs.rows, theirs.digest)
    assert mine.digest.startswith("pg1:")


def test_one_batch_in_several_pieces_into_wider_columns(
    url: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "PIECE_ROWS_MAX", 7)
    frame = spark.range(0, 1_000, 1, 3).selectExpr(
        "CAST(id AS short) AS a",
        "CAST(id AS int) AS b",
        "CAST(id / 8 AS float) AS c",
        "CAST(id AS decimal(9,2)) AS d",
        "concat('r', id) AS e",
    )
    pg(
        url,
        "CREATE TABLE wide (a bigint, b bigint, c float8, d numeric(20,4), e varchar, n int)",
    )
    options = {"batch_column": "n"}
    sink = begun(url, "wide", frame, **options)
    asked = Asked(frame)
    assert sink.write(asked.batch(1, "wide")) and asked.roads == ["stream"]
    assert pg(url, "SELECT count(*), sum(a), sum(b), sum(c * 8), sum(d) FROM wide WHERE n = 1") == [
        (1_000, *[499_500] * 2, 499_500.0, Decimal("499500.0000"))
    ]
    server_sink(url, "wide", 2, **options)  # the table has the digest of the ledger
    pg(url, "UPDATE wide SET e = 'r' WHERE ctid = (SELECT max(ctid) FROM wide)")
    with pytest.raises(RefusedError, match="other rows"):
        server_sink(url, "wide", 3, **options)


@pytest.mark.parametrize("keeps", [True, False])
def test_upserts_and_tombstones_choose_as_by_the_other_roads(
    url: str, spark: SparkSession, keeps: bool
) -> None:
    schema = "id long, v int, text string, gone boolean"
    batches = (
        [(1, 5, "new", False), (1, 4, "old", False), (2, None, "none", None), (3, 1, "a", False)],
        [(1, 4, "late", False), (2, 1, "some", False), (3, None, "null", False), (4, 1, "x", True)],
        [(1, 5, "same", False), (3, 2, "", True), (5, 1, "b", False), (5, 2, "c", False)],
        [(4, 1, "late", False), (3, 3, "back", False), (6, 1, "only", False)],
    )
    kept: dict[str, Any] = {}
    for road in ("stream", "never"):
        table = f"tombs_{road}_{keeps}".lower()
        extra = ", gone boolean" if keeps else ""
        pg(url, f"CREATE TABLE {table} (id bigint PRIMARY KEY, v int, text text NOT NULL{extra})")
        options = {"mode": "upsert", "key": ("id",), "version": "v", "tombstone": "gone"}
        sink = server_sink(url, table, **options, bulk="auto" if road == "stream" else "never")
        for number, rows in enumerate(batches):
            asked = Asked(spark.createDataFrame(rows, schema).repartition(2))
            assert sink.write(asked.batch(number, table))
            wanted = "staged" if number == 0 else "stream"
            assert asked.roads == [wanted if road == "stream" else "rows"]
        kept[road] = pg_rows(url, table)
    assert kept["stream"] == kept["never"] and len(kept["stream"]) == (6 if keeps else 5)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("concat('a', char(0))", "row 78, column 'c': the text holds U"),
        ("CAST(NULL AS string)", "row 78, column 'c': the column takes no null"),
        ("timestamp_micros(-62135596800000001)", "row 78, .* outside the years 1 to 9999 in UTC"),
    ],
)
def test_a_value_that_cannot_be_stored_is_named_and_nothing_stays(
    url: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, value: str, said: str
) -> None:
    monkeypatch.setattr(bulk, "PIECE_ROWS_MAX", 10)
    plain = "timestamp_micros(0)" if value.startswith("time") else "'a'"
    frame = spark.range(0, 100, 1, 1).selectExpr(
        "id", f"CASE WHEN id = 77 THEN {value} ELSE {plain} END AS c"
    )
    table = f"refused_{len(said)}"
    kind = "timestamptz" if value.startswith("time") else "text"
    pg(url, f"CREATE TABLE {table} (id bigint, c {kind} NOT NULL)")
    sink = begun(url, table, frame)
    with pytest.raises(RefusedError, match=said):
        sink.write(Asked(frame).batch(1, table))
    assert sum(pg_rows(url, table).values()) == FIRST and len(read_ledger(url, table)) == 1


def test_what_fails_amid_the_stream_leaves_nothing_and_is_not_asked_for_twice(
    url: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "PIECE_ROWS_MAX", 10)
    frame = spark.range(0, 1_000, 1, 2).toDF("id")
    sink = begun(url, "failing", frame)
    with pytest.raises(RuntimeError, match="Spark fails here"):
        sink.write(Asked(frame, fails_after=50).batch(1, "failing"))

    class Ended(Asked):
        def arrow(self, most: int) -> Iterator[Any]:
            yield from list(super().arrow(most))[:3]
            pg(
                url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%'",
            )
            yield from super().arrow(most)

    ended = Ended(frame)
    with pytest.raises(UnreachableError):
        sink.write(ended.batch(1, "failing"))
    assert sum(pg_rows(url, "failing").values()) == FIRST
    assert len(read_ledger(url, "failing")) == 1
    assert sink.write(Asked(frame).batch(1, "failing"))
    assert sum(pg_rows(url, "failing").values()) == FIRST + 1_000


def test_a_lost_answer_to_commit_is_settled_by_the_ledger(
    url: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.range(0, 1_000, 1, 2).toDF("id")
    sink = begun(url, "lost", frame)
    database: Any = sink._database
    committed, lost = database.commit, []

    def commit(connection: Any) -> None:
        committed(connection)
        if not lost:
            lost.append(True)
            raise UnreachableError("gone", subject="x", next_action="") from (
                psycopg.OperationalError("the connection was lost")
            )

    monkeypatch.setattr(database, "commit", commit)
    asked = Asked(frame)
    assert sink.write(asked.batch(1, "lost")) is True
    assert asked.roads == ["stream"]
    assert sum(pg_rows(url, "lost").values()) == FIRST + 1_000


def test_a_fenced_writer_asks_for_nothing_and_a_new_start_stages(
    url: str, spark: SparkSession
) -> None:
    frame = spark.range(0, 100, 1, 2).toDF("id")
    old = begun(url, "fenced", frame)
    new = server_sink(url, "fenced", 2)
    late, first, second = Asked(frame), Asked(frame), Asked(frame)
    with pytest.raises(FencedError):
        old.write(late.batch(1, "fenced"))
    assert late.roads == []
    assert new.write(first.batch(1, "fenced", 2)) and new.write(second.batch(2, "fenced", 2))
    # What one process could not hold in its memory another one must not try in the same way.
    assert (first.roads, second.roads) == (["staged"], ["stream"])


@pytest.mark.parametrize(
    ("bound", "value", "road"),
    [
        ("STREAM_BYTES_MAX", 1, "staged"),
        ("STREAM_ROW_BYTES_MAX", 1, "staged"),
        ("LARGE_ROWS", 1_000, "rows"),
        ("PIECE_BYTES", 1, "stream"),
    ],
)
def test_the_batch_before_decides(
    url: str,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    bound: str,
    value: int,
    road: str,
) -> None:
    frame = spark.range(0, 100, 1, 2).toDF("id")
    table = f"sizes_{bound}".lower()
    sink = begun(url, table, frame)
    monkeypatch.setattr(bulk, bound, value)
    asked = Asked(frame)
    assert sink.write(asked.batch(1, table)) and asked.roads == [road]
    assert sum(pg_rows(url, table).values()) == FIRST + 100


def test_columns_that_need_a_look_at_each_value_come_by_rows(url: str, spark: SparkSession) -> None:
    pg(url, "CREATE TABLE looked (id bigint, e text)")
    frame = spark.range(0, 100, 1, 2).selectExpr("id", "'a' AS e")
    sink = begun(url, "looked", frame)
    pg(url, "ALTER TABLE looked ALTER e TYPE varchar(3)")
    asked = Asked(frame)
    assert sink.write(asked.batch(1, "looked")) and asked.roads == ["rows"]
    assert sum(pg_rows(url, "looked").values()) == FIRST + 100


def test_arrow_of_a_spark_that_has_no_such_interface(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = mixed(spark).localCheckpoint()
    quick = [batch.to_pylist() for batch in arrow_of(frame, 7)]
    monkeypatch.setattr(columns, "_serve", None)
    slow = [batch.to_pylist() for batch in arrow_of(frame, 7)]
    assert max(map(len, quick)) == max(map(len, slow)) == 7
    shown = [Counter(repr(row) for rows in found for row in rows) for found in (quick, slow)]
    assert shown[0] == shown[1] and sum(shown[0].values()) == frame.count()


def test_jobs_of_a_stream_belong_to_the_thread_of_the_query(url: str, spark: SparkSession) -> None:
    frame = spark.range(0, 1_000, 1, 3).toDF("id")
    sink = begun(url, "grouped", frame)
    context, tracker = spark.sparkContext, spark.sparkContext.statusTracker()
    alone = len(tracker.getJobIdsForGroup(None))
    context.setJobGroup("the query", "what stop() cancels")
    try:
        assert sink.write(Asked(frame).batch(1, "grouped"))
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
    assert len(tracker.getJobIdsForGroup("the query")) == 3
    assert len(tracker.getJobIdsForGroup(None)) == alone


def test_a_stateful_query_streams_its_second_batch_and_the_one_after_it(
    url: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    stream = PostgresStages.stream

    def counted(self: Any, *given: Any) -> Any:
        found = stream(self, *given)
        taken.append(found.rows)
        return found

    monkeypatch.setattr(PostgresStages, "stream", counted)
    options = {"mode": "upsert", "key": ("key",), "create": True}
    sink = SqlSink(SqlSinkOptions(url=url, table="totals", **options))  # type: ignore[arg-type]
    (tmp_path / "in").mkdir()
    source = spark.readStream.schema("key string, value long")
    rows = source.option("maxFilesPerTrigger", 1).json(f"{tmp_path}/in")
    totals = rows.groupBy("key").agg(F.sum("value").alias("total"))
    for number in range(3):
        keys = [f"k{i}" for i in range(10 + number)]
        lines = [json.dumps({"key": key, "value": 10**number}) for key in keys]
        (tmp_path / "in" / f"{number}.json").write_text("\n".join(lines))
        os.utime(tmp_path / "in" / f"{number}.json", (number, number))
    writer = totals.writeStream.outputMode("update").foreachBatch(LedgerWriter(sink))
    query = holdfast.start(
        writer.trigger(availableNow=True), name="totals", checkpoint=f"{tmp_path}/checkpoint"
    )
    assert query.awaitTermination(120)
    assert taken == [11, 12]
    wanted = Counter({(f"k{i}", 111 if i < 10 else 110 if i < 11 else 100): 1 for i in range(12)})
    assert pg_rows(url, "totals") == wanted
