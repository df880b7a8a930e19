"""Names are data: whatever they hold, they are quoted; and they fit the table or are refused."""

from collections import Counter
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.errors import RefusedError, UsageError
from tests.sinks.sql_tables import execute, make_batch, opened, table_rows

WEIRD = (
    'a"; DROP TABLE victim; --',
    "it's",
    "with space",
    "select",
    "日本 ü💥",
    "%(x)s",
    "100%",
    ":bound",
    "?",
    "[brackets]",
    "back`tick",
    "main.events",
    "line\nbreak",
    "\\",
    "{curly}",
    "own",
    "c1",
    "place",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "names.db"


@pytest.mark.parametrize("name", WEIRD)
@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_weird_names_go_round(path: Path, name: str, mode: str) -> None:
    execute(path, "CREATE TABLE victim (x)")
    columns = (*(f"{name}{i}" for i in range(3)), name)
    extra = {"key": (name, columns[0]), "version": columns[1]} if mode == "upsert" else {}
    rows = [(1, 2, "x", "k"), (2, 3, "y", "k"), (2, 4, "z", "k")]
    sink = opened(path, table=name, mode=mode, batch_column=f"{name} batch", **extra)
    for batch_id in (0, 1):
        assert sink.write(make_batch(batch_id, rows, columns=columns, sink=name))
    kept = [rows[0], rows[2]] if mode == "upsert" else rows
    times = 1 if mode == "upsert" else 2
    got = Counter(row[:4] for row in table_rows(path, name).elements())
    assert got == Counter(kept * times)
    assert [mark.sink for mark in read_ledger(str(path), name)] == [name, name]
    found = [c for (c,) in execute(path, "SELECT name FROM pragma_table_info(?)", (name,))]
    assert found == [*columns, f"{name} batch"]
    assert execute(path, "SELECT count(*) FROM victim") == [(0,)]


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)
USABLE = NAMES.filter(
    lambda name: name.strip() and not name.lower().startswith(("sqlite_", "holdfast_"))
)


@given(table=USABLE, column=USABLE)
def test_any_name_goes_round(memory: Path, table: str, column: str) -> None:
    path = memory / f"{uuid4()}.db"
    sink = opened(path, table=table)
    assert sink.write(make_batch(0, [(1,), (1,)], columns=(column,), sink=table))
    assert sink.write(make_batch(1, [(2,)], columns=(column,), sink=table))
    assert table_rows(path, table) == Counter({(1,): 2, (2,): 1})
    names = execute(path, "SELECT name FROM sqlite_master WHERE name NOT LIKE '%holdfast%'")
    assert (table,) in names


def test_everything_that_does_not_fit_is_said_at_once(path: Path) -> None:
    execute(
        path,
        "CREATE TABLE events (id INTEGER NOT NULL, amount REAL, noted TEXT, made TEXT DEFAULT 'x', "
        "twice INTEGER GENERATED ALWAYS AS (id * 2))",
    )
    with pytest.raises(RefusedError) as raised:
        opened(path).write(make_batch(0, [], columns=("ID", "amt", "twice", "noted")))
    assert raised.value.message == (
        "batch 0 does not fit table 'events': column 'ID' is called 'id' in the table; "
        "the table has no column 'amt'; the table computes column 'twice' itself; "
        "the batch has no column 'amount', for which the table has no default"
    )


def test_the_fit_is_checked_before_rows_are_asked_for(path: Path) -> None:
    execute(path, "CREATE TABLE events (id INTEGER)")
    batch = make_batch(0, [])
    object.__setattr__(batch, "rows", lambda: pytest.fail("rows were asked for"))
    with pytest.raises(RefusedError, match="the table has no column 'name'"):
        opened(path).write(batch)


def test_columns_that_the_database_fills_may_be_left_out(path: Path) -> None:
    execute(
        path,
        "CREATE TABLE events (nr INTEGER PRIMARY KEY, id INTEGER, name TEXT, "
        "made TEXT DEFAULT 'then', free TEXT DEFAULT NULL)",
    )
    opened(path).write(make_batch(0, [(7, "a"), (7, "a")]))
    assert table_rows(path) == Counter([(1, 7, "a", "then", None), (2, 7, "a", "then", None)])


def test_a_table_that_changes_later_is_noticed(path: Path) -> None:
    sink = opened(path)
    sink.write(make_batch(0, [(1, "a")]))
    execute(path, "ALTER TABLE events RENAME COLUMN name TO title")
    with pytest.raises(RefusedError, match="the table has no column 'name'"):
        sink.write(make_batch(1, [(1, "a")]))
    assert table_rows(path) == Counter([(1, "a")])


def test_two_columns_of_one_name_are_refused(path: Path) -> None:
    with pytest.raises(RefusedError, match="its columns 'a' and 'A' are one to a database"):
        opened(path).write(make_batch(0, [(1, 2)], columns=("a", "A")))
    with pytest.raises(RefusedError, match="its columns 'a' and 'a' are one to a database"):
        opened(path).write(make_batch(0, [(1, 2)], columns=("a", "a")))


def test_the_batch_column_is_not_the_batchs_own(path: Path) -> None:
    with pytest.raises(RefusedError, match="it has a column 'name', the batch_column"):
        opened(path, batch_column="name").write(make_batch(0, [(1, "a")]))


def test_another_spelling_of_a_table_is_no_second_ledger(path: Path) -> None:
    opened(path).write(make_batch(0, [(1, "a")]))
    with pytest.raises(UsageError, match="table 'Events' is called 'events' in the database"):
        opened(path, table="Events")


def test_a_view_is_no_table(path: Path) -> None:
    execute(path, "CREATE VIEW events AS SELECT 1 AS id, 'a' AS name")
    with pytest.raises(UsageError, match="'events' is a view"):
        opened(path)


def test_a_column_without_a_name_is_refused(path: Path) -> None:
    with pytest.raises(UsageError, match="a column cannot be empty"):
        opened(path).write(make_batch(0, [(1, "a")], columns=("id", "")))
