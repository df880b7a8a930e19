"""The transforms on a handful of rows: `pytest` in this folder."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from check_counts import Counts, check_counts
from make_data import lines
from pyspark.sql import SparkSession
from sensors import deserialize, keep_raw, newest

GOOD = b'{"sensor": "s-1", "at": "2026-01-01T00:00:00.250Z", "sequence": 7, "reading": 20.5}'
BAD = {
    None: "no line",
    b"": "empty line",
    b"not json": "not a JSON object",
    b"[1, 2]": "not a JSON object",
    GOOD + GOOD: "more than one object",
    GOOD[:40]: "not JSON of the declared shape",
    GOOD.replace(b"20.5", b'"warm"'): "not JSON of the declared shape",
    GOOD.replace(b"s-1", b"s-\xff"): "not UTF-8",
    GOOD.replace(b"s-1", b""): "no sensor",
    GOOD.replace(b"at", b"when"): "no time",
    GOOD.replace(b"2026", b"2226"): "time out of range",
    b'{"sensor": "s-1", "at": "2026-01-01T00:00:00Z", "reading": 20.5}': "no sequence",
    GOOD.replace(b"7", b"1000000"): "sequence out of range",
    GOOD.replace(b"20.5", b"null"): "no reading",
    GOOD.replace(b"20.5", b'"NaN"'): "no reading",
}


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_lines_are_kept_as_they_came(spark, tmp_path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b" one \r\n\n\xc3\xa9\n\xff\x00\n")
    rows = keep_raw(spark.read.option("lineSep", "\n").text(str(tmp_path))).collect()
    assert [bytes(row.value) for row in rows] == [b" one \r", b"", b"\xc3\xa9", b"\xff\x00"]
    assert all(row.origin.endswith("/a.jsonl") and row.ingested_at for row in rows)


def test_records_of_a_topic_are_kept_as_they_came(spark) -> None:
    columns = "key binary, value binary, topic string, partition int, offset long"
    records = [(None, b"\xff", "sensors", 2, 41), (b"k", None, "sensors", 0, 7)]
    rows = keep_raw(spark.createDataFrame(records, columns)).collect()
    kept = [(None if row.value is None else bytes(row.value), row.origin) for row in rows]
    assert kept == [(b"\xff", "sensors/2/41"), (None, "sensors/0/7")]


def test_every_line_is_a_reading_or_has_a_reason(spark) -> None:
    given = [GOOD, GOOD + b"\r", *BAD]
    raw = spark.createDataFrame([(line, "here") for line in given], "value binary, origin string")
    readings = deserialize(raw)
    rows = readings.collect()
    assert [None if row.value is None else bytes(row.value) for row in rows] == given
    assert [row.reason for row in rows] == [None, None, *BAD.values()]
    assert [row.quarantined for row in rows] == [False, False] + [True] * len(BAD)
    assert (rows[0].sensor, rows[0].sequence, rows[0].reading) == ("s-1", 7, 20.5)
    assert check_counts(raw, readings) == Counts(len(given), 2, len(BAD))
    assert check_counts(raw, readings).add_up
    assert not check_counts(raw, readings.limit(3)).add_up


def test_a_newer_reading_has_a_higher_version(spark) -> None:
    def at(second: int, millisecond: int = 0) -> datetime:
        return datetime(2026, 1, 1, 0, 0, second, millisecond * 1000, UTC)

    ordered = [(at(0), 999_999), (at(0, 1), 0), (at(0, 1), 1), (at(1), 0)]
    rows = [("s", moment, sequence, 1.0, False) for moment, sequence in ordered]
    schema = "sensor string, at timestamp, sequence long, reading double, quarantined boolean"
    versions = [row.version for row in newest(spark.createDataFrame(rows, schema)).collect()]
    assert versions == sorted(set(versions))
    quarantined = [("s", at(0), 1, 1.0, True)]
    assert newest(spark.createDataFrame(quarantined, schema)).count() == 0


def test_data_are_the_same_for_the_same_seed() -> None:
    assert lines(1, 2, 50, 3) == lines(1, 2, 50, 3)
    assert lines(1, 2, 50, 3) != lines(2, 2, 50, 3)
