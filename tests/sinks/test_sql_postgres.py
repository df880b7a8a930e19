"""The SQL sink on a real PostgreSQL: rows and mark in one transaction, upserts, tombstones."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from holdfast.adapters.sinks.sql import Step
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.errors import FencedError, RefusedError, UsageError
from tests.sinks.servers import pg, pg_rows, postgres_url, server_sink
from tests.sinks.sql_tables import QUERY, make_batch

pytestmark = pytest.mark.server
TWICE = [(1, "a"), (1, "a"), (2, None)]
UPSERT: dict[str, Any] = {"mode": "upsert", "key": ("id",), "version": "v", "create": True}
COLUMNS = ("id", "v", "text")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_url() as found:
        yield found


def test_a_batch_is_written_once_however_often_it_comes(url: str) -> None:
    sink = server_sink(url, "once", create=True)
    batch = make_batch(0, TWICE, sink="once", offsets={"0": {"end": 3}})
    assert sink.write(batch) is True
    assert sink.write(batch) is False
    again = server_sink(url, "once", 2)
    assert again.write(make_batch(0, TWICE, epoch=2, sink="once")) is False
    assert pg_rows(url, "once") == Counter(TWICE)
    (mark,) = read_ledger(url, "once")
    assert (mark.rows, mark.epoch, mark.offsets) == (3, 1, {"0": {"end": 3}})
    with pytest.raises(FencedError):
        sink.write(make_batch(1, TWICE, sink="once"))
    other = make_batch(0, TWICE, epoch=2, sink="once", offsets={"0": {"end": 4}})
    with pytest.raises(RefusedError, match="another batch"):
        again.write(other)


def test_schema_and_names_that_need_quotes_or_carry_sql(url: str) -> None:
    names = ('a "b"', "x; DROP TABLE y --", "50% %s {}", "sel.ect", "Ünï", "select")
    pg(url, 'CREATE SCHEMA "my.space %s"')
    for mode in ({}, {"mode": "upsert", "key": (names[0],), "version": names[2]}):
        for name in names:
            table = f"{name}{len(mode)}"
            sink = server_sink(url, table, schema="my.space %s", create=True, **mode)
            for number in range(2):
                row = (1, number, number, "t", None, True)
                batch = make_batch(number, [row], columns=names, sink=table)
                assert sink.write(batch) is True
            quoted = '"my.space %s"."' + table.replace('"', '""') + '"'
            found = pg_rows(url, quoted)
            last = (1, 1, 1, "t", None, True)
            first = (1, 0, 0, "t", None, True)
            assert found == Counter([last] if mode else [first, last])
    assert len(read_ledger(url, schema="my.space %s")) == 24
    with pytest.raises(UsageError, match="more than 63 bytes"):
        server_sink(url, "é" * 32)


def test_an_older_version_never_overwrites_a_newer_one(url: str) -> None:
    sink = server_sink(url, "versions", **UPSERT)
    first = [(1, 5, "new"), (1, 4, "old"), (2, None, "none"), (3, 1, "a"), (3, 1, "b")]
    sink.write(make_batch(0, first, columns=COLUMNS, sink="versions"))
    kept = next(text for key, _, text in pg_rows(url, "versions") if key == 3)
    second = [(1, 4, "late"), (1, 5, "same"), (2, 1, "some"), (3, None, "null"), (4, 1, "x")]
    sink.write(make_batch(1, second, columns=COLUMNS, sink="versions"))
    expected = [(1, 5, "new"), (2, 1, "some"), (3, 1, kept), (4, 1, "x")]
    assert pg_rows(url, "versions") == Counter(expected)


def test_text_versions_go_by_characters_and_not_by_a_language(url: str) -> None:
    pg(url, 'CREATE TABLE worded (id int PRIMARY KEY, v text COLLATE "en-x-icu", text text)')
    sink = server_sink(url, "worded", **{**UPSERT, "create": False})
    sink.write(make_batch(0, [(1, "a", "x"), (1, "B", "y")], columns=COLUMNS, sink="worded"))
    sink.write(make_batch(1, [(1, "B", "z")], columns=COLUMNS, sink="worded"))
    assert pg_rows(url, "worded") == Counter([(1, "a", "x")])


@pytest.mark.parametrize("kept", [False, True])
def test_tombstones_are_right_in_any_order_of_batches(url: str, kept: bool) -> None:
    """What a key has become is the greatest (version, tombstone) that was ever given."""
    columns = ("id", "v", "text", "gone")
    dice = random.Random(7)
    for trial in range(6):
        table = f"tombs_{int(kept)}_{trial}"
        gone = ", gone boolean" if kept else ""
        pg(url, f"CREATE TABLE {table} (id int PRIMARY KEY, v int, text text NOT NULL{gone})")
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
        assert pg_rows(url, table) == Counter(alive), rows


def test_a_tombstone_without_a_version_deletes_what_came_before(url: str) -> None:
    options = {"mode": "upsert", "key": ("id",), "tombstone": "gone", "create": True}
    sink = server_sink(url, "plain_tombs", **options)
    columns = ("id", "text", "gone")
    rows = [(1, "a", False), (2, "b", None), (3, "c", False)]
    sink.write(make_batch(0, rows, columns=columns, sink="plain_tombs"))
    more = [(1, None, True), (3, "d", True), (3, "e", False)]
    sink.write(make_batch(1, more, columns=columns, sink="plain_tombs"))
    assert pg_rows(url, "plain_tombs") == Counter([(2, "b")])


def test_what_does_not_fit_is_said_at_once_and_before_any_row(url: str) -> None:
    pg(
        url,
        "CREATE TABLE fits (id int, at timestamp, Text text, n int NOT NULL, always int "
        "GENERATED ALWAYS AS (1) STORED, amount numeric(5,2))",
    )
    batch = make_batch(
        0,
        [],
        columns=("id", "at", "Text", "extra", "always", "amount"),
        sink="fits",
    )
    typed = type(batch)(
        **{name: getattr(batch, name) for name in batch.__slots__ if name != "types"},
        types=dict(
            zip(
                batch.columns,
                ("string", "timestamp", "string", "int", "int", "double"),
                strict=True,
            )
        ),
    )
    sink = server_sink(url, "fits")
    with pytest.raises(RefusedError) as raised:
        sink.write(typed)
    for part in (
        "column 'id' is string, and integer in the table",
        "column 'at' holds moments (timestamp), and is timestamp without time zone",
        "column 'Text' is called 'text' in the table",
        "the table has no column 'extra'",
        "the table computes column 'always' itself",
        "column 'amount' is double, and numeric(5,2) in the table",
        "the batch has no column 'n', for which the table has no default",
    ):
        assert part in raised.value.message
    with pytest.raises(UsageError, match="nothing makes 'id' unique"):
        server_sink(url, "fits", mode="upsert", key=("id",))
    pg(url, "CREATE UNLOGGED TABLE forgets (id int)")
    with pytest.raises(UsageError, match="unlogged"):
        server_sink(url, "forgets")
    pg(url, "CREATE VIEW looks AS SELECT 1 AS id")
    with pytest.raises(UsageError, match="is a view"):
        server_sink(url, "looks")
    with pytest.raises(UsageError, match="there is no table 'nothing'"):
        server_sink(url, "nothing")


def test_columns_are_added_where_that_is_allowed(url: str) -> None:
    pg(url, "CREATE TABLE grows (id int)")
    sink = server_sink(url, "grows", add_columns=True)
    sink.write(make_batch(0, [(1,)], columns=("id",), sink="grows"))
    sink.write(make_batch(1, [(2, "x")], columns=("id", "Extra %s"), sink="grows"))
    sink.write(make_batch(2, [(3,)], columns=("id",), sink="grows"))
    assert pg_rows(url, "grows") == Counter([(1, None), (2, "x"), (3, None)])


def test_a_step_that_fails_leaves_nothing(url: str) -> None:
    reached: list[Step] = []

    def stop(step: Step) -> None:
        reached.append(step)
        if step == "commit":
            raise RuntimeError("stopped")

    sink = server_sink(url, "steps", create=True, steps=stop)
    with pytest.raises(RuntimeError):
        sink.write(make_batch(0, TWICE, sink="steps"))
    assert reached == ["begin", "rows", "mark", "commit"]
    with pytest.raises(psycopg.errors.UndefinedTable):
        pg(url, "SELECT * FROM steps")
    assert sink.last_batch(QUERY) is None


def test_a_table_that_changes_between_batches_is_looked_at_again(url: str) -> None:
    pg(url, "CREATE TABLE changing (id bigint PRIMARY KEY, name text)")
    sink = server_sink(url, "changing", mode="upsert", key=("id",))

    def write(number: int) -> bool:
        return sink.write(make_batch(number, [(number, "a")], sink="changing"))

    assert write(0) and write(1)
    pg(url, "ALTER TABLE changing ADD COLUMN more int NOT NULL DEFAULT 7")
    pg(url, "ALTER TABLE changing ALTER more DROP DEFAULT")
    with pytest.raises(RefusedError, match="no column 'more', for which the table has no default"):
        write(2)
    pg(url, "ALTER TABLE changing ALTER more SET DEFAULT 7")
    assert write(2)
    pg(url, "ALTER TABLE changing DROP CONSTRAINT changing_pkey")
    with pytest.raises(UsageError, match="nothing makes 'id' unique"):
        write(3)
    pg(url, "CREATE UNIQUE INDEX changing_id ON changing (id)")
    assert write(3)
    pg(url, "DROP TABLE changing")
    with pytest.raises(UsageError, match="there is no table 'changing'"):
        write(4)
    pg(url, "CREATE TABLE changing (id smallint PRIMARY KEY, name text)")
    with pytest.raises(RefusedError, match="does not fit into 16 bits"):
        sink.write(make_batch(4, [(2**15, "a")], sink="changing"))


def test_a_type_that_changes_without_its_table(url: str) -> None:
    pg(url, "CREATE TYPE mood AS ENUM ('good')")
    pg(url, "CREATE TABLE moods (id bigint, name mood)")
    sink = server_sink(url, "moods")
    assert sink.write(make_batch(0, [(1, "good")], sink="moods"))
    with pytest.raises(RefusedError, match="none of the values of the type"):
        sink.write(make_batch(1, [(2, "bad")], sink="moods"))
    pg(url, "ALTER TYPE mood ADD VALUE 'bad'")
    assert sink.write(make_batch(1, [(2, "bad")], sink="moods"))
