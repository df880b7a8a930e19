"""A value comes back as it went in, or is refused by row and column; it never changes silently."""

import json
import math
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Row

from holdfast.adapters.sinks.row_digest import RowDigest
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.adapters.sinks.sql_types import canonical_json
from holdfast.errors import RefusedError
from tests.sinks.sql_tables import execute, make_batch, opened, table_rows

EAST = timezone(timedelta(hours=5, minutes=30))
NAIVE = datetime(2024, 1, 1, 2, 3, 4, tzinfo=UTC).replace(tzinfo=None)
PLUS_38 = Decimal("12345678901234567890123456789012345678")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "types.db"


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (None, None),
        ("", ""),
        ('O\'Hara "x"; -- 💥\x00é', 'O\'Hara "x"; -- 💥\x00é'),
        ("0012", "0012"),
        (2**63 - 1, 2**63 - 1),
        (-(2**63), -(2**63)),
        (numpy.int64(7), 7),
        (0.1, 0.1),
        (1e308, 1e308),
        (5e-324, 5e-324),
        (-0.0, 0.0),
        (3.0, 3.0),
        (math.inf, math.inf),
        (-math.inf, -math.inf),
        (numpy.float64(2.5), 2.5),
        (True, 1),
        (False, 0),
        (b"", b""),
        (bytes(range(256)), bytes(range(256))),
        (bytearray(b"ab"), b"ab"),
        (Decimal("1.10"), "1.1"),
        (Decimal("100"), "100"),
        (Decimal("1E+3"), "1000"),
        (Decimal("-0.00"), "0"),
        (Decimal("-0.00000001"), "-0.00000001"),
        (PLUS_38, str(PLUS_38)),
        (Decimal(f"0.{PLUS_38}"), f"0.{PLUS_38}"),
        (date(2024, 2, 29), "2024-02-29"),
        (date(1, 1, 1), "0001-01-01"),
        (time(1, 2, 3), "01:02:03.000000"),
        (NAIVE, "2024-01-01T02:03:04.000000"),
        (datetime(2024, 1, 1, 2, 3, 4, 5, tzinfo=UTC), "2024-01-01T02:03:04.000005+00:00"),
        (datetime(2024, 1, 1, 2, 0, tzinfo=EAST), "2023-12-31T20:30:00.000000+00:00"),
        (pandas.Timestamp("2024-01-01T00:00:00Z"), "2024-01-01T00:00:00.000000+00:00"),
        ({"b": [1, None, True], "a": "é"}, '{"a":"é","b":[1,null,true]}'),
        (Row(y=Decimal("1.50"), x=Row(z=date(2024, 1, 1))), '{"x":{"z":"2024-01-01"},"y":"1.5"}'),
        ({2: "b", 10: "a"}, '[[10,"a"],[2,"b"]]'),
        ([b"\xff", -0.0], '["/w==",0.0]'),
        ((1, 2), "[1,2]"),
        ([], "[]"),
    ],
)
def test_what_a_value_becomes(path: Path, value: Any, stored: Any) -> None:
    opened(path).write(make_batch(0, [(value,)], columns=("v",)))
    ((found,),) = execute(path, "SELECT v FROM events")
    assert (type(found), found) == (type(stored), stored)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (math.nan, "NaN cannot be stored: SQLite would turn it into NULL"),
        (2**63, "the number does not fit into 64 bits"),
        (-(2**63) - 1, "the number does not fit into 64 bits"),
        (Decimal("NaN"), "NaN is no number that can be stored"),
        (Decimal("-Infinity"), "-Infinity is no number that can be stored"),
        (Decimal("1E+999999"), "the decimal has more than 1,000 digits"),
        (Decimal("1E-999999"), "the decimal has more than 1,000 digits"),
        ("\ud800", "half of a surrogate pair"),
        (NAIVE.replace(fold=1), "the local time happens twice that day"),
        (datetime(1, 1, 1, tzinfo=EAST), "outside the years 1 to 9999"),
        (pandas.NaT, "no time (NaT)"),
        (pandas.Timestamp(1), "nanoseconds, which would be cut off"),
        (time(1, tzinfo=UTC), "a time of day with a zone"),
        ({"a": math.nan}, "nan cannot be stored inside nested data"),
        ([math.inf], "inf cannot be stored inside nested data"),
        (["\ud800"], "half of a surrogate pair"),
        ([Row(a=1), object()], "a value of type object cannot be stored"),
        (timedelta(1), "a value of type timedelta cannot be stored"),
        ({1, 2}, "a value of type set cannot be stored"),
        (1j, "a value of type complex cannot be stored"),
    ],
)
def test_what_is_refused_names_row_and_column(path: Path, value: Any, reason: str) -> None:
    rows = [(1, None)] * 1_500 + [(2, value), (3, None)]
    with pytest.raises(RefusedError) as raised:
        opened(path).write(make_batch(4, rows, columns=("id", "the value")))
    assert raised.value.message.startswith("batch 4, row 1501, column 'the value': ")
    assert reason in raised.value.message
    assert read_ledger(str(path)) == []
    assert execute(path, "SELECT count(*) FROM sqlite_master WHERE name = 'events'") == [(0,)]


def test_nesting_without_end_is_refused(path: Path) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(RefusedError, match="nested deeper than 200"):
        opened(path).write(make_batch(0, [(endless,)], columns=("v",)))


def test_a_row_of_another_length_is_refused(path: Path) -> None:
    with pytest.raises(RefusedError, match="batch 0, row 2, has 3 values"):
        opened(path).write(make_batch(0, [(1, "a"), (1, "a", 2)]))


@pytest.mark.parametrize(
    ("declared", "value", "kind"),
    [
        ("INTEGER", "0012", "text"),
        ("INTEGER", 1.0, "a float"),
        ("INTEGER", Decimal(1), "a decimal"),
        ("TEXT", 12, "a whole number"),
        ("TEXT", 1.5, "a float"),
        ("VARCHAR(10)", True, "a boolean"),
        ("REAL", "1.0", "text"),
        ("DOUBLE", Decimal("1.10"), "a decimal"),
        ("STRING", "007", "text"),  # NUMERIC to SQLite, the classic trap
        ("DECIMAL(10,2)", Decimal("1.10"), "a decimal"),
        ("NUMERIC", 3.0, "a float"),
        ("DATETIME", "2024", "text"),
    ],
)
def test_a_column_that_would_change_the_value_is_refused(
    path: Path, declared: str, value: Any, kind: str
) -> None:
    execute(path, f"CREATE TABLE events (v {declared})")
    with pytest.raises(RefusedError) as raised:
        opened(path).write(make_batch(0, [(None,), (value,)], columns=("v",)))
    assert "batch 0, row 2, column 'v': " in raised.value.message
    assert f"{kind} cannot be held unchanged by a column of type {declared}" in raised.value.message
    assert sum(table_rows(path).values()) == 0


@pytest.mark.parametrize(
    ("declared", "value", "stored"),
    [
        ("BIGINT", 2**62, 2**62),
        ("BOOLEAN", True, 1),
        ("DATE", date(2024, 1, 1), "2024-01-01"),
        ("TIMESTAMP", NAIVE, "2024-01-01T02:03:04.000000"),
        ("DOUBLE", 2**53, float(2**53)),
        ("BLOB", "text", "text"),
        ("", 1.0, 1.0),
        ("", "007", "007"),
        ("VARCHAR(2)", "longer", "longer"),
    ],
)
def test_a_column_that_keeps_the_value_takes_it(
    path: Path, declared: str, value: Any, stored: Any
) -> None:
    execute(path, f"CREATE TABLE events (v {declared})")
    opened(path).write(make_batch(0, [(value,)], columns=("v",)))
    ((found,),) = execute(path, "SELECT v FROM events")
    assert (type(found), found) == (type(stored), stored)


def test_a_whole_number_that_no_float_equals_is_refused(path: Path) -> None:
    execute(path, "CREATE TABLE events (v REAL)")
    with pytest.raises(RefusedError, match="cannot be held exactly by a column of floats"):
        opened(path).write(make_batch(0, [(2**53 + 1,)], columns=("v",)))


def test_a_created_table_has_the_types_of_its_first_values(path: Path) -> None:
    columns = ("i", "f", "s", "b", "o", "d", "t", "j", "n")
    row = (1, 1.5, "x", b"x", True, Decimal(1), NAIVE, [1], None)
    sink = opened(path)
    assert sink.write(make_batch(0, [], columns=columns)), "no rows, no types: only the mark"
    nothing = (None,) * len(columns)
    sink.write(make_batch(1, [nothing, row], columns=columns))
    found = execute(path, "SELECT name, type FROM pragma_table_info('events')")
    types = ["INTEGER", "REAL", "TEXT", "BLOB", "INTEGER", "TEXT", "TEXT", "TEXT", ""]
    assert found == list(zip(columns, types, strict=True))


def test_a_table_of_given_columns_is_there_before_the_first_batch(path: Path) -> None:
    opened(path, columns="id long, `a b` array<int>, x double", batch_column="batch")
    found = execute(path, "SELECT name, type FROM pragma_table_info('events')")
    assert found == [("id", "INTEGER"), ("a b", "TEXT"), ("x", "REAL"), ("batch", "INTEGER")]


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.binary()
    | st.decimals(allow_nan=False, allow_infinity=False, places=6)
    | st.dates()
    | st.datetimes(allow_imaginary=True).map(lambda at: at.replace(fold=0))
)


@given(rows=st.lists(st.tuples(SCALARS, SCALARS), max_size=20))
def test_any_rows_come_back_with_the_digest_of_the_mark(
    memory: Path, rows: list[tuple[Any, Any]]
) -> None:
    path = memory / f"{uuid4()}.db"
    execute(path, "CREATE TABLE events (a, b)")
    opened(path).write(make_batch(0, rows, columns=("a", "b")))
    digest = RowDigest(("a", "b"))
    # Not through a Counter, to which 0 and 0.0 are one key.
    for row in execute(path, "SELECT a, b FROM events"):
        digest.add(row)
    (mark,) = read_ledger(str(path))
    assert (digest.rows, digest.hex()) == (mark.rows, mark.digest) == (len(rows), mark.digest)
    plain = [row for row in rows if all(isinstance(v, int | str | bytes) for v in row)]
    assert not Counter(plain) - table_rows(path)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text("aé💥\n"),
        lambda inner: st.lists(inner) | st.dictionaries(st.text("ab"), inner),
    )
)
def test_nested_data_survive_json(value: Any) -> None:
    assert json.loads(canonical_json(value)) == value
