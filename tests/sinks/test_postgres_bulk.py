"""The bulk road into PostgreSQL: executors stage the rows, one transaction takes them over."""

import signal
import subprocess
import sys
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
from scripts.servers.postgres import PASSWORD

from holdfast.adapters.sinks.sql import SqlSink
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.adapters.sinks.sql_table import bulk
from holdfast.errors import FencedError, RefusedError, UnreachableError, UsageError
from tests.running.spark_sessions import fresh_session
from tests.sinks.bulk_batches import KILLED_ROWS, Executors, frame_batch
from tests.sinks.servers import pg, pg_rows, postgres_url, server_sink
from tests.sinks.sql_tables import QUERY

pytestmark = [pytest.mark.spark, pytest.mark.server]
ROOT = Path(__file__).parent.parent.parent
UPSERT: dict[str, Any] = {"mode": "upsert", "key": ("id",), "version": "v"}
ALWAYS: dict[str, Any] = {"bulk": "always", "create": True}
MIXED = (
    "small short, whole int, long long, real float, double double, flag boolean,"
    " price decimal(18,2), huge decimal(38,10), text string, raw binary, day date,"
    " at timestamp, local timestamp_ntz, tiny byte"
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_url() as found:
        yield found


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    # Each task may fail twice.
    with fresh_session(master="local[2,3]") as session:
        yield session


def stages(url: str) -> list[Any]:
    found = "SELECT tablename FROM pg_tables WHERE tablename LIKE 'holdfast!_s!_%' ESCAPE '!'"
    return pg(url, found)


def is_bulk(url: str, sink: str) -> list[bool]:
    """By which road each batch has come: the kind of its digest says it."""
    return [mark.digest.startswith("pg1:") for mark in read_ledger(url, sink)]


def numbers(spark: SparkSession, count: int = 2_000, parts: int = 3) -> DataFrame:
    """Every row twice."""
    once = spark.range(0, count, 1, parts).selectExpr("id", "concat('r', id % 7) AS text")
    return once.union(once)


def wanted(count: int = 2_000) -> "Counter[tuple[Any, ...]]":
    return Counter({(i, f"r{i % 7}"): 2 for i in range(count)})


def test_rows_and_mark_come_in_once_and_nothing_is_left(url: str, spark: SparkSession) -> None:
    sink = server_sink(url, "appended", **ALWAYS)
    executors = Executors(numbers(spark))
    batch = frame_batch(executors.frame, 0, sink="appended", executors=executors)
    assert sink.write(batch) is True
    assert sink.write(batch) is False
    assert executors.runs == 1
    assert pg_rows(url, "appended") == wanted()
    [mark] = read_ledger(url, "appended")
    assert (mark.rows, mark.epoch, mark.offsets) == (4_000, 1, {"0": {"end": 0}})
    assert is_bulk(url, "appended") == [True] and not stages(url)
    nothing = numbers(spark).where("id < 0")
    assert sink.write(frame_batch(nothing, 1, sink="appended")) is True
    assert [mark.rows for mark in read_ledger(url, "appended")] == [4_000, 0]


def test_all_plain_types_come_back_as_they_were(url: str, spark: SparkSession) -> None:
    zoned = datetime(2024, 2, 29, 23, 59, 59, 999_999, UTC)
    moment = zoned.replace(tzinfo=None)
    huge = Decimal("-1234567890123456789012345678.0123456789")
    row = (-1, 2**31 - 1, -(2**63), 0.1, -0.0, True, Decimal("-12.30"), huge)
    row += ("é😀\n\\N\t'\"", b"\x00\xff", date(1, 1, 1), zoned, moment, -128)
    nothing = (None,) * len(row)
    nan = (0, 0, 0, float("inf"), float("-inf"), False, Decimal(0), Decimal(0))
    nan += ("", b"", date(9999, 12, 31), zoned, moment, 127)
    frame = spark.createDataFrame([row, row, nothing, nan], MIXED).repartition(2)
    for table, options in {
        "mixed": ALWAYS,
        "mixed_direct": {"create": True, "bulk": "never"},
    }.items():
        assert server_sink(url, table, **options).write(frame_batch(frame, 0, sink=table))
    found = pg_rows(url, "mixed")
    assert found == pg_rows(url, "mixed_direct") and sum(found.values()) == 4
    assert found[nothing] == 1 and found[nan] == 1
    [twice] = [other for other, count in found.items() if count == 2]
    assert (twice[5:11], twice[11].astimezone(UTC)) == (row[5:11], zoned)
    assert (is_bulk(url, "mixed"), is_bulk(url, "mixed_direct")) == ([True], [False])


def test_upserts_choose_as_on_the_direct_road(url: str, spark: SparkSession) -> None:
    first = [(1, 5, "new"), (1, 4, "old"), (2, None, "none"), (3, 1, "a"), (3, 1, "a"), (5, 9, "x")]
    second = [(1, 4, "late"), (1, 5, "same"), (2, 1, "some"), (3, None, "null"), (4, 1, "x")]
    sink = server_sink(url, "upserted", **ALWAYS, **UPSERT, batch_column="batch")
    for number, rows in enumerate((first, second)):
        frame = spark.createDataFrame(rows, "id long, v int, text string").repartition(3)
        assert sink.write(frame_batch(frame, number, sink="upserted"))
    kept = [(1, 5, "new", 0), (2, 1, "some", 1), (3, 1, "a", 0), (4, 1, "x", 1), (5, 9, "x", 0)]
    assert pg_rows(url, "upserted") == Counter(kept)
    assert [mark.rows for mark in read_ledger(url, "upserted")] == [6, 5]
    assert is_bulk(url, "upserted") == [True, True]


@pytest.mark.parametrize("keeps", [True, False])
def test_tombstones(url: str, spark: SparkSession, keeps: bool) -> None:
    table = f"tombs_{keeps}".lower()
    extra = ", gone boolean" if keeps else ""
    pg(url, f"CREATE TABLE {table} (id bigint PRIMARY KEY, v int, text text NOT NULL{extra})")
    sink = server_sink(url, table, bulk="always", tombstone="gone", **UPSERT)
    text = "" if keeps else None
    batches = (
        [(1, 1, "a", False), (2, 1, "b", None), (3, 1, "c", False), (3, 1, text, True)],
        [(1, 2, text, True), (2, 0, text, True), (4, 7, text, True)],
        [(1, 1, "late", False), (4, 8, "back", False)],
    )
    for number, rows in enumerate(batches):
        frame = spark.createDataFrame(rows, "id long, v int, text string, gone boolean")
        assert sink.write(frame_batch(frame.repartition(2), number, sink=table))
    living = "gone IS NOT TRUE" if keeps else "true"
    found = Counter(pg(url, f"SELECT id, v, text FROM {table} WHERE {living}"))
    assert found == Counter([(2, 1, "b"), (4, 8, "back")])
    assert is_bulk(url, table) == [True] * 3


def test_an_attempt_that_fails_leaves_no_row(url: str, spark: SparkSession, tmp_path: Path) -> None:
    def fails_once(number: int) -> int:
        mark = tmp_path / f"{number}"
        if number in (1_500, 600) and not mark.exists():
            mark.touch()
            raise RuntimeError("the first attempt ends here")
        return number

    failing = F.udf(fails_once, "long", useArrow=False)
    frame = spark.range(0, 2_000, 1, 3).select(failing("id").alias("id"))
    sink = server_sink(url, "attempts", **ALWAYS)
    assert sink.write(frame_batch(frame, 0, sink="attempts"))
    assert len(list(tmp_path.iterdir())) == 2
    assert pg_rows(url, "attempts") == Counter((i,) for i in range(2_000))
    assert is_bulk(url, "attempts") == [True] and not stages(url)


def test_killed_between_staging_and_commit(url: str, spark: SparkSession) -> None:
    pg(url, "CREATE TABLE killed (id bigint)")
    command = [sys.executable, "-m", "tests.sinks.bulk_batches", url, "killed"]
    assert subprocess.run(command, cwd=ROOT).returncode == -signal.SIGKILL
    assert len(stages(url)) == 3 and not pg_rows(url, "killed")
    pg(url, "CREATE TABLE holdfast_s_mine (id int)")
    other = server_sink(url, "appended_too", 9, **ALWAYS)
    assert len(stages(url)) == 4, "another sink does not touch them"
    sink = server_sink(url, "killed", 2, bulk="always")
    assert stages(url) == [("holdfast_s_mine",)]
    pg(url, "DROP TABLE holdfast_s_mine")
    assert sink.write(frame_batch(spark.range(KILLED_ROWS), 0, sink="killed", epoch=2))
    assert pg_rows(url, "killed") == Counter((i,) for i in range(KILLED_ROWS))
    assert other.last_batch(QUERY) is None


def test_a_lost_answer_to_commit_is_settled_by_the_ledger(
    url: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = server_sink(url, "lost", **ALWAYS)
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
    executors = Executors(numbers(spark))
    assert sink.write(frame_batch(executors.frame, 0, sink="lost", executors=executors)) is True
    assert (lost, executors.runs) == ([True], 1)
    assert pg_rows(url, "lost") == wanted() and not stages(url)


def test_a_fenced_writer_is_refused_before_and_after_staging(url: str, spark: SparkSession) -> None:
    old = server_sink(url, "fenced", **ALWAYS)
    executors = Executors(numbers(spark))

    class Overtaken(Executors):
        def each(self, *given: Any) -> Any:
            found = super().each(*given)
            server_sink(url, "fenced", 2, **ALWAYS)
            return found

    with pytest.raises(FencedError):
        late = Overtaken(executors.frame)
        old.write(frame_batch(executors.frame, 0, sink="fenced", executors=late))
    with pytest.raises(FencedError):
        old.write(frame_batch(executors.frame, 0, sink="fenced", executors=executors))
    assert executors.runs == 0
    assert read_ledger(url, "fenced") == [] and not stages(url)


def test_tables_that_a_crash_has_emptied_are_not_taken_for_the_rows(
    url: str, spark: SparkSession
) -> None:
    class Emptied(Executors):
        def each(self, *given: Any) -> Any:
            found = super().each(*given)
            for name, *_ in found:
                pg(url, f"TRUNCATE {name}")
            return found

    sink = server_sink(url, "emptied", **ALWAYS)
    frame = numbers(spark)
    with pytest.raises(UnreachableError, match="hold 0 of 4,000 rows"):
        sink.write(frame_batch(frame, 0, sink="emptied", executors=Emptied(frame)))
    assert read_ledger(url, "emptied") == [] and not stages(url)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("concat('a', char(0))", "row 78 of its part of the rows, column 'c': the text holds U"),
        ("CAST(NULL AS string)", "row 78 of its part of the rows, column 'c': the column takes no"),
        ("timestamp_micros(-62135596800000001)", "row 78 .* outside the years 1 to 9999 in UTC"),
        ("date_add(DATE'9999-12-31', 1)", "row 78 .* outside the years 1 to 9999"),
    ],
)
def test_a_value_that_cannot_be_stored(
    url: str, spark: SparkSession, value: str, said: str
) -> None:
    frame = spark.range(0, 100, 1, 1).selectExpr("id", f"CASE WHEN id = 77 THEN {value} END AS c")
    kind = frame.schema["c"].dataType.simpleString()
    if value.startswith("CAST"):
        frame = frame.selectExpr("id", "CASE WHEN id = 77 THEN NULL ELSE 'a' END AS c")
    table = f"refused_{abs(hash(value))}"
    null = "NOT NULL" if value.startswith("CAST") else ""
    declared = {"string": "text", "date": "date", "timestamp": "timestamptz"}[kind]
    pg(url, f"CREATE TABLE {table} (id bigint, c {declared} {null})")
    sink = server_sink(url, table, bulk="always")
    with pytest.raises(RefusedError, match=said):
        sink.write(frame_batch(frame, 0, sink=table))
    assert not pg_rows(url, table) and read_ledger(url, table) == [] and not stages(url)


def test_what_the_database_refuses_names_the_column(url: str, spark: SparkSession) -> None:
    pg(url, "CREATE TABLE checked (id bigint CHECK (id < 50))")
    sink = server_sink(url, "checked", bulk="always")
    with pytest.raises(RefusedError, match=r"a check does not hold .*'checked_id_check'"):
        sink.write(frame_batch(spark.range(100), 0, sink="checked"))
    assert not pg_rows(url, "checked") and read_ledger(url, "checked") == [] and not stages(url)


@pytest.mark.parametrize(
    ("declared", "kind", "by_executors"),
    [
        ("varchar(9)", "string", False),
        ("varchar", "string", True),
        ("numeric(10,2)", "decimal(9,2)", True),
        ("numeric(10,1)", "decimal(9,2)", False),
        ("numeric", "decimal(9,2)", False),
        ("bigint", "int", True),
        ("bigint", "tinyint", True),
        ("double precision", "float", True),
        ("double precision", "int", False),
        ("integer", "bigint", False),
        ("real", "double", False),
        ("jsonb", "string", False),
        ("integer[]", "array<int>", False),
    ],
)
def test_columns_that_need_a_look_at_each_value_take_the_direct_road(
    url: str, spark: SparkSession, declared: str, kind: str, by_executors: bool
) -> None:
    table = "road_" + "".join(c for c in declared + kind if c.isalnum())
    pg(url, f"CREATE TABLE {table} (c {declared}, batch bigint)")
    value = "array(7)" if "array" in kind else "7"
    frame = spark.range(2).selectExpr(f"CAST({value} AS {kind}) AS c")
    options = {"bulk": "always", "batch_column": "batch"}
    assert server_sink(url, table, **options).write(frame_batch(frame, 0, sink=table))
    assert is_bulk(url, table) == [by_executors]
    assert sum(pg_rows(url, table, "c::text").values()) == 2
    server_sink(url, table, 2, **options)  # what is stored has the digest of what was staged


def test_a_batch_after_a_small_one_takes_the_direct_road(
    url: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "LARGE_ROWS", 100)
    sink = server_sink(url, "sizes", create=True)
    for number, count in enumerate((99, 100, 50, 1)):
        assert sink.write(frame_batch(spark.range(count), number, sink="sizes"))
    # The first of all has none before it. A new start asks the ledger.
    again = server_sink(url, "sizes", 2)
    assert again.write(frame_batch(spark.range(1_000), 4, sink="sizes", epoch=2))
    assert is_bulk(url, "sizes") == [True, False, True, False, False]
    assert sum(pg_rows(url, "sizes").values()) == 1_250
    server_sink(url, "sizes", 3, bulk="never").write(
        frame_batch(spark.range(1), 5, sink="sizes", epoch=3)
    )
    assert is_bulk(url, "sizes")[-1] is False
    quarantine = server_sink(url, "put_aside", **ALWAYS, quarantine="aside")
    assert quarantine.write(frame_batch(spark.range(5), 0, sink="put_aside"))
    assert is_bulk(url, "put_aside") == [False]


def test_the_digest_finds_a_table_that_was_changed(url: str, spark: SparkSession) -> None:
    options = {**ALWAYS, "batch_column": "batch"}
    frame = numbers(spark)
    assert server_sink(url, "digested", **options).write(frame_batch(frame, 0, sink="digested"))
    server_sink(url, "digested", 2, **options)
    pg(url, "UPDATE digested SET text = 'r' WHERE ctid = (SELECT min(ctid) FROM digested)")
    with pytest.raises(RefusedError, match="other rows"):
        server_sink(url, "digested", 3, **options)
    pg(url, "UPDATE holdfast_batches SET digest = 'pg1:00000000:' || right(digest, 16)")
    server_sink(url, "digested", 4, **options)  # hashed by a server that hashes in another way


def test_no_plan_and_no_error_shows_the_password(
    url: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []

    class Shown(Executors):
        def each(self, function: Any, columns: str, parts_max: int) -> Any:
            mapped = self.frame.mapInArrow(lambda batches: function(batches), columns)
            plan = mapped._jdf.queryExecution()
            shown.extend([repr(function), str(function), plan.toString(), repr(mapped)])
            return super().each(function, columns, parts_max)

    sink = server_sink(url, "secret", **ALWAYS)
    frame = numbers(spark)
    assert sink.write(frame_batch(frame, 0, sink="secret", executors=Shown(frame)))
    assert len(shown) == 4 and not [text for text in shown if PASSWORD in text]

    class Away(Executors):
        def each(self, function: Any, columns: str, parts_max: int) -> Any:
            object.__setattr__(function, "server", f"{function.server} port=1")
            return super().each(function, columns, parts_max)

    with pytest.raises(Exception, match="an executor cannot put rows") as caught:
        sink.write(frame_batch(frame, 1, sink="secret", executors=Away(frame)))
    assert PASSWORD not in f"{caught.value!s}{caught.value!r}"
    assert len(read_ledger(url, "secret")) == 1


def test_the_option(url: str) -> None:
    with pytest.raises(UsageError, match="bulk cannot be 'some'"):
        SqlSink(SqlSinkOptions(url=url, table="t", bulk="some"))  # type: ignore[arg-type]
