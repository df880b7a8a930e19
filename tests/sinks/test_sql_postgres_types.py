"""What goes into PostgreSQL comes back as it was, is refused, or is put aside with the reason."""

import math
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.errors import RefusedError, UsageError
from tests.sinks.servers import pg, pg_rows, postgres_url, server_sink
from tests.sinks.sql_tables import make_batch

pytestmark = pytest.mark.server
LOCAL = datetime(2024, 2, 29, 23, 59, 59, 999999)  # noqa: DTZ001 - a local time is the point
MOMENT = LOCAL.replace(tzinfo=timezone(timedelta(hours=5, minutes=30)))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_url() as found:
        yield found


VALUES: dict[str, tuple[str, list[Any]]] = {
    "small": ("smallint", [-(2**15), 2**15 - 1, 0]),
    "whole": ("int", [-(2**31), 2**31 - 1]),
    "big": ("bigint", [-(2**63), 2**63 - 1]),
    "single": ("float", [1.5, -0.0, math.inf, 0.25]),
    "double": ("double", [0.1 + 0.2, 5e-324, 1.7976931348623157e308, -math.inf, math.inf]),
    "amount": ("decimal(38,18)", [Decimal("-12345678901234567890.123456789012345678"), Decimal(0)]),
    "ok": ("boolean", [True, False]),
    "text": (
        "string",
        ["", "NULL", "\\N", "\\.", "a\tb\nc\rd\\e", "'\"%s", "é😀\U0010ffff\x01\x7f"],
    ),
    "raw": ("binary", [b"", bytes(range(256))]),
    "day": ("date", [date(1, 1, 1), date(9999, 12, 31), date(1582, 10, 10)]),
    "moment": ("timestamp", [MOMENT, datetime(1, 1, 2, tzinfo=UTC)]),
    "local": ("timestamp_ntz", [LOCAL, datetime(1, 1, 1)]),  # noqa: DTZ001
    "clock": ("time", [time(23, 59, 59, 999999)]),
    "numbers": ("array<int>", [[], [1, None, -3]]),
    "words": ("array<string>", [["", "NULL", None, 'q"\\ {},', "é😀"]]),
    "days": ("array<timestamp>", [[datetime(2024, 1, 1, tzinfo=UTC), None]]),
    "bytes_list": ("array<binary>", [[b"\x00\xff", b""]]),
    "nested": ("struct<a:int>", [{"a": [1, {"b": None}], "z": "é\\"}]),
    "mapped": ("map<string,int>", [{"x": 1, "": 2}]),
}


def test_every_kind_comes_back_as_it_was_in_a_table_made_from_the_schema(url: str) -> None:
    names, deepest = tuple(VALUES), max(len(values) for _, values in VALUES.values())
    rows = [
        tuple(values[i] if i < len(values) else None for _, values in VALUES.values())
        for i in range(deepest + 1)
    ]
    made = make_batch(0, rows, columns=names, sink="kinds")
    batch = type(made)(
        **{name: getattr(made, name) for name in made.__slots__ if name != "types"},
        types={name: declared for name, (declared, _) in VALUES.items()},
    )
    server_sink(url, "kinds", create=True).write(batch)
    found = pg(url, "SELECT * FROM kinds")
    for place, name in enumerate(names):
        given = Counter(_told(row[place]) for row in rows)
        assert Counter(_told(row[place]) for row in found) == given, name
    types = dict(
        pg(
            url,
            "SELECT column_name, data_type FROM information_schema.columns"
            " WHERE table_name = 'kinds'",
        )
    )
    assert types["amount"] == "numeric" and types["nested"] == types["mapped"] == "jsonb"
    assert types["moment"] == "timestamp with time zone" and types["numbers"] == "ARRAY"


def test_nan_is_a_float_like_others(url: str) -> None:
    server_sink(url, "nans", create=True).write(
        make_batch(0, [(1, math.nan), (2, math.inf)], columns=("id", "x"), sink="nans")
    )
    found = dict(pg(url, "SELECT id, x FROM nans"))
    assert math.isnan(found[1]) and found[2] == math.inf


@pytest.mark.parametrize(
    ("declared", "value", "reason"),
    [
        ("smallint", 2**15, "does not fit into 16 bits"),
        ("int", "1", "text cannot be held unchanged"),
        ("int", 1.0, "a float cannot be held unchanged"),
        ("numeric(5,2)", Decimal("1.005"), "more than 2 digits after the point"),
        ("numeric(5,2)", Decimal("1000"), "more than 3 digits before the point"),
        ("real", 0.1, "needs 64 bits"),
        ("text", "a\x00b", "U+0000"),
        ("jsonb", {"a": "\x00"}, "U+0000"),
        ("jsonb", "{", "no JSON document"),
        ("jsonb", '{"a": 1, "a": 2}', "no JSON document"),
        ("text[]", ["\x00"], "U+0000"),
        ("int[]", [[1]], "cannot be held by an element"),
        ("varchar(3)", "four", "4 characters, and 3 fit"),
        ("char(3)", "no", "would be padded"),
        ("uuid", "ABC", "no UUID"),
        ("timestamp", MOMENT, "has a zone, which would be dropped"),
        ("timestamptz", LOCAL, "has no zone"),
        ("timestamp(3)", LOCAL, "keeps 3 digits"),
        ("date", LOCAL, "a timestamp cannot be held"),
        ("inet", "127.0.0.1", "cannot be held unchanged"),
        ("int NOT NULL", None, "takes no null"),
    ],
)
def test_what_a_column_cannot_hold(url: str, declared: str, value: Any, reason: str) -> None:
    pg(url, "DROP TABLE IF EXISTS strict_one, aside_one, holdfast_ledger, holdfast_batches")
    pg(url, f'CREATE TABLE strict_one (id int, "the x" {declared})')
    sink = server_sink(url, "strict_one")
    rows = [(1, value)]
    with pytest.raises(RefusedError, match=r"batch 0, row 1, column 'the x'") as raised:
        sink.write(make_batch(0, rows, columns=("id", "the x"), sink="strict_one"))
    assert reason in raised.value.message
    assert pg_rows(url, "strict_one") == Counter()
    aside = server_sink(url, "strict_one", quarantine="aside_one")
    assert aside.write(make_batch(0, rows, columns=("id", "the x"), sink="strict_one")) is True
    ((batch, number, column, told),) = pg(
        url, "SELECT batch_id, row_number, column_name, reason FROM aside_one"
    )
    assert (batch, number, column) == (0, 1, "the x") and reason in told


@pytest.mark.parametrize("mode", [{}, {"mode": "upsert", "key": ("id",)}])
def test_rows_in_are_rows_written_and_rows_put_aside(url: str, mode: dict[str, Any]) -> None:
    table, aside = f"most{len(mode)}", f"rest % {len(mode)}"
    sink = server_sink(
        url, table, create=True, columns="id int, t string", quarantine=aside, **mode
    )
    for number in range(3):
        rows = [
            (number * 100 + i, "bad\x00 é" if i % 7 == number else f"good {i}") for i in range(50)
        ]
        batch = make_batch(number, rows, columns=("id", "t"), sink=table)
        assert sink.write(batch) is True
        assert sink.write(batch) is False
    written, beside = pg_rows(url, table), pg_rows(url, f'"{aside}"', "batch_id, content")
    assert written.total() + beside.total() == 150
    assert beside[(1, '{"id": 101, "t": "bad\\u0000 \\u00e9"}')] == 1
    for mark in read_ledger(url, table):
        put_aside = sum(n for (number, _), n in beside.items() if number == mark.batch_id)
        assert mark.rows + put_aside == 50 and put_aside > 0
    with pytest.raises(UsageError, match="has no column"):
        server_sink(url, f"{table}_other", create=True, quarantine=table)


def test_too_many_that_do_not_fit_stop_the_job(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.adapters.sinks.sql_table.encoding.ASIDE_ROWS_MAX", 3)
    sink = server_sink(url, "many", create=True, columns="t string", quarantine="many_aside")
    with pytest.raises(RefusedError, match="like 3 rows before it"):
        sink.write(make_batch(0, [("\x00",)] * 4, columns=("t",), sink="many"))
    assert pg_rows(url, "many_aside") == Counter() == pg_rows(url, "many")


def _told(value: Any) -> str:
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC)
    if isinstance(value, Decimal):
        return f"{value:f}".rstrip("0").rstrip(".") or "0"
    if isinstance(value, memoryview):
        value = bytes(value)
    if isinstance(value, list):
        return str([_told(item) for item in value])
    if isinstance(value, dict):
        return repr(sorted((key, _told(item)) for key, item in value.items()))
    return repr(value)
