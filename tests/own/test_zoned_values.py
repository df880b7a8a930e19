"""Moments get their zone wherever they are in a row."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from pyspark.sql.types import (
    ArrayType,
    LongType,
    MapType,
    Row,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from holdfast.adapters.spark.zoned_values import zoned_row

MOMENT = datetime(2026, 7, 1, 12, tzinfo=UTC)
INNER = StructType([StructField("at", TimestampType()), StructField("n", LongType())])
SCHEMA = StructType(
    [
        StructField("id", LongType()),
        StructField("at", TimestampType()),
        StructField("local", TimestampNTZType()),
        StructField("list", ArrayType(TimestampType())),
        StructField("map", MapType(StringType(), INNER)),
        StructField("inner", INNER),
    ]
)


@pytest.fixture
def far_away() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Pacific/Kiritimati")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("far_away")
def test_every_moment_is_in_utc_and_local_times_stay() -> None:
    here = MOMENT.astimezone().replace(tzinfo=None)  # as PySpark gives it
    inner = Row("at", "n")(here, 1)
    row = (1, here, here, [here, None], {"a": inner, "b": None}, inner)
    found = zoned_row(SCHEMA)(row)
    assert found[:3] == (1, MOMENT, here)
    assert found[3] == [MOMENT, None]
    assert found[4] == {"a": Row(at=MOMENT, n=1), "b": None}
    assert found[5].at == MOMENT and found[5].at.tzinfo is UTC
    assert zoned_row(SCHEMA)((None,) * 6) == (None,) * 6
    plain = StructType([StructField("list", ArrayType(LongType()))])
    assert zoned_row(plain)(([1, 2],)) == ([1, 2],)
