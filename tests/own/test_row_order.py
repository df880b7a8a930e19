"""How rows leave real Spark: by Arrow as by PySpark, in chunks that do not depend on partitions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapters.sinks.own.chunks import Chunk, chunks_of
from holdfast.adapters.sinks.own.encoding import encoded
from holdfast.adapters.spark import columns, row_order
from holdfast.adapters.spark.ledger_writer import _Executed
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError
from tests.running.spark_sessions import fresh_session

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]
ROWS = """
SELECT id, id % 3 AS `odd``name.`, IF(id % 5 = 0, NULL, CAST(id % 7 AS STRING)) AS text,
  IF(id % 2 = 0, map('a', struct(map(id, 1) AS m), 'b', NULL), NULL) AS nested,
  CASE id % 4 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D ELSE 0.5D END AS real,
  timestamp_micros(id * 1000001) AS at, array(map('k', id)) AS list, CAST(id AS DECIMAL(9,3)) AS d
FROM range(200) UNION ALL SELECT 1, 1, 'x', NULL, 0.0D, NULL, NULL, NULL FROM range(60)
"""


PLAIN = """
SELECT CAST(id % 100 AS TINYINT) AS t, CAST(id AS SMALLINT) AS s, CAST(id * 7 AS INT) AS i,
  id * 9007199254740993 AS l, IF(id % 3 = 0, NULL, id) AS n, CAST(id / 3 AS FLOAT) AS f,
  CASE id % 4 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN double('-Infinity') END AS d,
  IF(id % 2 = 0, id % 4 = 0, NULL) AS b, CAST(id / 7 AS DECIMAL(38, 18)) AS m,
  CASE id % 4 WHEN 0 THEN '' WHEN 1 THEN NULL WHEN 2 THEN '\u0000 e\u0301 𝔘' ELSE 'x' END AS text,
  IF(id % 5 = 0, NULL, CAST(CONCAT('y', id) AS BINARY)) AS raw,
  timestamp_micros(id * 86400000001) AS at,
  timestamp_ntz'0001-01-01 00:00:00' + make_dt_interval(id * 18250) AS here,
  IF(id % 6 = 0, NULL, date_add(date'0001-01-01', CAST(id AS INT) * 18250)) AS day
FROM range(200)
"""


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with fresh_session() as session:
        yield session


def chunks(frame: DataFrame) -> list[Chunk]:
    executed = _Executed(frame, {})
    batch = Batch(
        query_id="q",
        sink="s",
        batch_id=0,
        epoch=1,
        columns=tuple(frame.columns),
        rows=executed.rows,
        offsets={},
        in_order=executed.in_order,
    )
    return list(chunks_of(batch, 16))


def test_chunks_do_not_depend_on_partitions(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.sql(ROWS)
    first = chunks(frame.coalesce(1))
    assert [chunk.number for chunk in first] == list(range(17))
    others = [frame.repartition(7), frame.orderBy(frame["id"].desc()), frame.repartition(3, "text")]
    for other in others:
        assert [chunk.digest for chunk in chunks(other)] == [chunk.digest for chunk in first]
    monkeypatch.setattr(row_order, "ROWS_AT_ONCE", 30)  # sorted in nine parts
    for other in others:
        assert [chunk.digest for chunk in chunks(other)] == [chunk.digest for chunk in first]
    found = Counter(encoded(row) for chunk in first for row in chunk.rows)
    assert found == Counter(encoded(row) for row in _Executed(frame, {}).rows())
    assert max(found.values()) == 60, "equal rows are all kept"


def told(row: Sequence[Any]) -> str:
    """Exactly, but for bytes: PySpark before 4.1 gives them as a bytearray."""
    return repr([bytes(value) if isinstance(value, bytearray) else value for value in row])


def test_rows_that_come_by_arrow_are_those_that_pyspark_gives(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.sql(PLAIN).repartition(3)
    assert columns.is_plain(frame)
    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    monkeypatch.setattr(columns, "ROWS_AT_ONCE", 7)
    quick = Counter(map(told, _Executed(frame, {}).rows()))
    monkeypatch.setattr(columns, "_serve", None)
    assert quick == Counter(map(told, _Executed(frame, {}).rows()))
    assert quick.total() == 200
    assert spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == before


def test_bytes_that_are_no_text_come_as_java_gives_them(spark: SparkSession) -> None:
    frame = spark.sql("SELECT CAST(X'61FFC3' AS STRING) AS text UNION ALL SELECT NULL")
    given = Counter(row.text for row in frame.collect())
    assert Counter(text for (text,) in _Executed(frame, {}).rows()) == given


@pytest.mark.parametrize("value", ["date'+10000-01-01'", "timestamp'-0001-01-01 00:00:00 UTC'"])
def test_a_time_that_python_does_not_have_is_refused(spark: SparkSession, value: str) -> None:
    with pytest.raises(RefusedError, match="column 'at' has a time outside of the years 1 to 9999"):
        list(_Executed(spark.sql(f"SELECT {value} AS at"), {}).rows())


def test_the_order_of_a_map_is_no_difference(spark: SparkSession) -> None:
    one = spark.sql("SELECT 1 AS id, map('a', 1, 'b', 2) AS m UNION ALL SELECT 2, map()")
    other = spark.sql("SELECT 2 AS id, map() AS m UNION ALL SELECT 1, map('b', 2, 'a', 1)")
    assert [c.digest for c in chunks(one)] == [c.digest for c in chunks(other)]


def test_nothing_stays_behind(spark: SparkSession, tmp_path: Path) -> None:
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()  # type: ignore[union-attr]
