"""Upserts of large batches into PostgreSQL: MERGE, and what it must not change."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from holdfast.adapters.sinks.databases import postgres_merge
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.adapters.sinks.sql_table import bulk
from tests.running.spark_sessions import fresh_session
from tests.sinks.servers import pg, pg_rows, postgres_url
from tests.sinks.stream_batches import Asked, begun

pytestmark = [pytest.mark.spark, pytest.mark.server]


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


def upsert_with(url: str, spark: SparkSession, table: str, rows: list[Any]) -> tuple[Any, Any]:
    """A second batch into a table that has rows 1 and 2 already; its rows, and those of the log."""
    schema = "id long, part string, v int"
    options = {"mode": "upsert", "key": ("id", "part")}
    first = spark.createDataFrame([(1, "a", 1), (2, "a", 1)], schema)
    sink = begun(url, table, first, **options)
    asked = Asked(spark.createDataFrame(rows, schema).repartition(2))
    assert sink.write(asked.batch(1, table)) and asked.roads == ["stream"]
    return pg_rows(url, table), [mark.rows for mark in read_ledger(url, table)]


@pytest.mark.parametrize("trigger", [True, False])
def test_rows_of_different_keys_are_merged_and_triggers_are_called_all_the_same(
    url: str, spark: SparkSession, trigger: bool
) -> None:
    table = f"merged_{trigger}".lower()
    key = "PRIMARY KEY (id, part)"
    pg(url, f"CREATE TABLE {table} (id bigint, part text, v int, {key})")
    if trigger:
        pg(
            url,
            "CREATE FUNCTION tenfold() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN NEW.v := NEW.v * 10; RETURN NEW; END $$",
        )
        pg(
            url,
            f"CREATE TRIGGER tenfold BEFORE INSERT ON {table}"
            " FOR EACH ROW EXECUTE FUNCTION tenfold()",
        )
    found, marks = upsert_with(url, spark, table, [(1, "a", 2), (1, "b", 3), (3, "a", 4)])
    times = 10 if trigger else 1
    kept = [(1, "a", 2), (2, "a", 1), (1, "b", 3), (3, "a", 4)]
    assert found == Counter((i, part, v * times) for i, part, v in kept)
    assert marks == [2, 3]


def test_a_key_that_comes_twice_and_a_row_that_is_in_the_way(
    url: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = [(1, "a", 2), (1, "a", 3), (3, "a", 4), (3, "a", 4)]
    found, marks = upsert_with(url, spark, "twice", twice)
    assert found == Counter([(1, "a", 3), (2, "a", 1), (3, "a", 4)]) and marks == [2, 4]

    merge, called = postgres_merge.merge, []

    def overtaken(connection: Any, *given: Any) -> bool:
        called.append(merge(connection, *given))
        return called[-1]

    # The second row of a key is in the way of MERGE as that of somebody else would be.
    monkeypatch.setattr(postgres_merge, "repeats", lambda *_: False)
    monkeypatch.setattr(postgres_merge, "merge", overtaken)
    found, marks = upsert_with(url, spark, "meanwhile", twice)
    assert called == [True, False]
    assert found == Counter([(1, "a", 3), (2, "a", 1), (3, "a", 4)]) and marks == [2, 4]
