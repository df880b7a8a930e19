"""The SQL sink on a real MariaDB: what differs from PostgreSQL, and the same promises."""

import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.errors import FencedError, RefusedError, UsageError
from tests.sinks.servers import my, my_rows, mysql_url, server_sink
from tests.sinks.sql_tables import QUERY, make_batch

pytestmark = pytest.mark.server
TWICE = [(1, "a"), (1, "a"), (2, None)]
UPSERT: dict[str, Any] = {"mode": "upsert", "key": ("id",), "version": "v", "create": True}
COLUMNS = ("id", "v", "text")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with mysql_url() as found:
        yield found


def test_a_batch_is_written_once_however_often_it_comes(url: str) -> None:
    sink = server_sink(url, "once", create=True)
    batch = make_batch(0, TWICE, sink="once", offsets={"0": {"end": 3}})
    assert sink.write(batch) is True
    assert sink.write(batch) is False
    again = server_sink(url, "once", 2)
    assert again.write(make_batch(0, TWICE, epoch=2, sink="once")) is False
    assert my_rows(url, "once") == Counter(TWICE)
    (mark,) = read_ledger(url, "once")
    assert (mark.rows, mark.epoch, mark.offsets) == (3, 1, {"0": {"end": 3}})
    with pytest.raises(FencedError):
        sink.write(make_batch(1, TWICE, sink="once"))
    other = make_batch(0, TWICE, epoch=2, sink="once", offsets={"0": {"end": 4}})
    with pytest.raises(RefusedError, match="another batch"):
        again.write(other)


def test_names_that_need_quotes_or_carry_sql(url: str) -> None:
    names = ("a `b`", "x; DROP TABLE y --", "50% %s {}", "sel.ect", "Ünï", "select")
    for mode in ({}, {"mode": "upsert", "key": (names[0],), "version": names[2]}):
        for name in names:
            table = f"{name}{len(mode)}"
            sink = server_sink(url, table, create=True, **mode)
            for number in range(2):
                row = (1, number, number, "t", None, True)
                assert sink.write(make_batch(number, [row], columns=names, sink=table)) is True
            found = my_rows(url, "`" + table.replace("`", "``") + "`")
            both = [(1, number, number, "t", None, 1) for number in range(2)]
            assert found == Counter(both[1:] if mode else both)


def test_an_older_version_never_overwrites_a_newer_one(url: str) -> None:
    sink = server_sink(url, "versions", **UPSERT)
    first = [(1, 5, "new"), (1, 4, "old"), (2, None, "none"), (3, 1, "a"), (3, 1, "b")]
    sink.write(make_batch(0, first, columns=COLUMNS, sink="versions"))
    kept = next(text for key, _, text in my_rows(url, "versions") if key == 3)
    second = [(1, 4, "late"), (1, 5, "same"), (2, 1, "some"), (3, None, "null"), (4, 1, "x")]
    sink.write(make_batch(1, second, columns=COLUMNS, sink="versions"))
    expected = [(1, 5, "new"), (2, 1, "some"), (3, 1, kept), (4, 1, "x")]
    assert my_rows(url, "versions") == Counter(expected)


@pytest.mark.parametrize("kept", [False, True])
def test_tombstones_are_right_in_any_order_of_batches(url: str, kept: bool) -> None:
    columns = ("id", "v", "text", "gone")
    dice = random.Random(11)
    for trial in range(6):
        table = f"tombs_{int(kept)}_{trial}"
        gone = ", gone boolean" if kept else ""
        my(url, f"CREATE TABLE {table} (id int PRIMARY KEY, v int, text varchar(9) NOT NULL{gone})")
        sink = server_sink(url, table, **{**UPSERT, "create": False, "tombstone": "gone"})
        rows = [
            (key, version, None if dead and not kept else f"{key}/{version}", dead)
            for key in range(6)
            for version in (*range(4), None)
            for dead in (False, True)
            if dice.random() < 0.6
        ]
        dice.shuffle(rows)
        expected: dict[int, tuple[Any, ...]] = {}
        for row in rows:
            rank = (-1 if row[1] is None else row[1], row[3])
            held = expected.get(row[0])
            if held is None or rank > (-1 if held[1] is None else held[1], held[3]):
                expected[row[0]] = row
        cut = dice.randrange(len(rows))
        for number, part in enumerate((rows[:cut], rows[cut:], rows[: cut // 2])):
            sink.write(make_batch(number, part, columns=columns, sink=table))
        alive = [row if kept else row[:3] for row in expected.values() if kept or not row[3]]
        assert my_rows(url, table) == Counter(alive), rows


def test_keys_that_differ_stay_different(url: str) -> None:
    keys = ["a", "A", "ä", "a ", "ａ", "😀", "😁", ""]
    sink = server_sink(url, "keyed", **UPSERT)
    rows = [(key, 1, key) for key in keys]
    sink.write(make_batch(0, rows, columns=COLUMNS, sink="keyed"))
    assert my_rows(url, "keyed") == Counter(rows)


@pytest.mark.parametrize(
    ("table", "shape", "options", "message"),
    [
        ("aria", "(id int) ENGINE=Aria", {}, "engine Aria, which has no transactions"),
        ("alike", "(id varchar(9) PRIMARY KEY, v int)", UPSERT, "takes some different texts"),
        ("two", "(id int PRIMARY KEY, v int UNIQUE)", UPSERT, "is unique by v too"),
        ("short", "(id varchar(99), v int, UNIQUE (id(3)))", UPSERT, "nothing makes 'id' unique"),
        ("keyless", "(id int, v int)", UPSERT, "nothing makes 'id' unique"),
    ],
)
def test_tables_that_cannot_be_exact(
    url: str, table: str, shape: str, options: dict[str, Any], message: str
) -> None:
    my(url, f"CREATE TABLE {table} {shape}")
    with pytest.raises(UsageError, match=message):
        server_sink(url, table, **options)


def test_values_are_kept_exactly(url: str) -> None:
    moment = datetime(2024, 2, 29, 12, 30, 1, 123456, tzinfo=UTC)
    values = {
        "i": -(2**63),
        "d": Decimal("-12345678901234567890.123456789"),
        "f": 0.1 + 0.2,
        "t": "\x00 'q' \\ %s 😀 é\n",
        "b": bytes(range(256)),
        "day": date(1, 1, 1),
        "at": moment,
        "ok": True,
        "n": {"b": [1, None], "a": "x"},
    }
    sink = server_sink(url, "types", create=True)
    rows = [tuple(values.values()), (None,) * len(values)]
    sink.write(make_batch(0, rows, columns=tuple(values), sink="types"))
    first, second = sorted(my_rows(url, "types"), key=lambda row: row[0] is None)
    naive = moment.replace(tzinfo=None)
    expected = {**values, "at": naive, "ok": 1, "n": '{"a":"x","b":[1,null]}'}
    assert dict(zip(values, first, strict=True)) == expected
    assert set(second) == {None}


@pytest.mark.parametrize(
    ("declared", "value", "reason"),
    [
        ("tinyint", 128, "does not fit into tinyint"),
        ("int unsigned", -1, "does not fit into int"),
        ("decimal(5,2)", Decimal("1.234"), "more than 2 digits after the point"),
        ("double", float("nan"), "no such number"),
        ("double", float("inf"), "no such number"),
        ("float", 1.5, "cannot be held unchanged"),
        ("varchar(3)", "four", "4 characters, and 3 fit"),
        ("tinytext", "ä" * 128, "more than 255 bytes"),
        ("varchar(9) CHARACTER SET utf8mb3", "😀", "characters that utf8mb3"),
        ("datetime", datetime(2024, 1, 1, 0, 0, 0, 5, tzinfo=UTC), "keeps 0 digits of a second"),
        ("timestamp(6)", datetime(2039, 1, 1, tzinfo=UTC), "outside 1970 to 2038"),
        ("int NOT NULL", None, "takes no null"),
    ],
)
def test_what_a_column_cannot_hold_is_refused_by_row_and_column(
    url: str, declared: str, value: Any, reason: str
) -> None:
    my(url, "DROP TABLE IF EXISTS strict_one")
    my(url, f"CREATE TABLE strict_one (id int, `the x` {declared})")
    sink = server_sink(url, "strict_one")
    batch = make_batch(0, [(1, value)], columns=("id", "the x"), sink="strict_one", query_id=QUERY)
    my(url, "UPDATE holdfast_ledger SET last_batch = NULL WHERE sink = 'strict_one'")
    with pytest.raises(RefusedError, match=r"batch 0, row 1, column 'the x'") as raised:
        sink.write(batch)
    assert reason in raised.value.message
    assert my_rows(url, "strict_one") == Counter()
