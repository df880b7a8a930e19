"""One row for each key, the newest, whatever order rows and batches come in."""

import itertools
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.sinks.sql import SqlSink
from holdfast.adapters.sinks.sql_ledger import read_ledger
from holdfast.errors import RefusedError, UsageError
from tests.sinks.sql_tables import execute, make_batch, opened, table_rows

COLUMNS = ("id", "version", "value")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "upsert.db"


def versioned(path: Path, epoch: int = 1, **options: Any) -> SqlSink:
    settings = {"mode": "upsert", "key": ("id",), "version": "version", **options}
    return opened(path, epoch, **settings)


def write(sink: SqlSink, batch_id: int, rows: list[tuple[Any, ...]]) -> None:
    assert sink.write(make_batch(batch_id, rows, columns=COLUMNS))


def test_a_newer_version_replaces_and_an_older_one_does_not(path: Path) -> None:
    sink = versioned(path)
    write(sink, 0, [(1, 5, "five"), (2, 5, "five")])
    write(sink, 1, [(1, 6, "six"), (2, 4, "late"), (3, 1, "new")])
    assert table_rows(path) == Counter([(1, 6, "six"), (2, 5, "five"), (3, 1, "new")])


def test_of_the_same_version_the_row_that_is_there_stays(path: Path) -> None:
    sink = versioned(path)
    write(sink, 0, [(1, 5, "first")])
    write(sink, 1, [(1, 5, "second")])
    assert table_rows(path) == Counter([(1, 5, "first")])


def test_null_is_older_than_every_version(path: Path) -> None:
    sink = versioned(path)
    write(sink, 0, [(1, None, "none"), (2, 1, "one"), (3, None, "none"), (3, 0, "zero")])
    write(sink, 1, [(1, -5, "some"), (2, None, "late")])
    assert table_rows(path) == Counter([(1, -5, "some"), (2, 1, "one"), (3, 0, "zero")])


def test_repeated_keys_of_a_batch_are_settled_without_regard_to_order(tmp_path: Path) -> None:
    rows = [(1, 1, "a"), (1, 3, "c"), (1, 3, "d"), (1, 2, "b"), (1, 3, "c")]
    results = []
    for number, order in enumerate(itertools.permutations(rows)):
        if number % 17:
            continue
        path = tmp_path / f"{number}.db"
        write(versioned(path), 0, list(order))
        results.append(table_rows(path))
        (mark,) = read_ledger(str(path))
        assert mark.rows == 5, "the ledger counts what the batch brought"
    assert len(results) == 8
    assert results[0] in (Counter([(1, 3, "c")]), Counter([(1, 3, "d")]))
    assert all(result == results[0] for result in results)


def test_without_a_version_the_later_batch_wins(path: Path) -> None:
    sink = versioned(path, version=None)
    write(sink, 0, [(1, 9, "old"), (2, 9, "old")])
    write(sink, 1, [(1, 1, "new")])
    assert table_rows(path) == Counter([(1, 1, "new"), (2, 9, "old")])
    assert sink.write(make_batch(0, [(1, 9, "old")], columns=COLUMNS)) is False
    assert table_rows(path) == Counter([(1, 1, "new"), (2, 9, "old")])


def test_times_and_text_are_versions_too(path: Path) -> None:
    sink = versioned(path)
    write(sink, 0, [(1, datetime(2024, 1, 1, tzinfo=UTC), "a")])
    write(sink, 1, [(1, datetime(2024, 1, 1, 0, 0, 0, 1, tzinfo=UTC), "b")])
    write(sink, 2, [(1, datetime(2023, 12, 31, 23, 59, 59, tzinfo=UTC), "c")])
    assert table_rows(path, what="id, value") == Counter([(1, "b")])


@pytest.mark.parametrize("version", [Decimal("10"), b"x", [1], True])
def test_what_does_not_sort_is_no_version(path: Path, version: Any) -> None:
    with pytest.raises(RefusedError, match=r"row 1, column 'version': .* cannot be a version"):
        versioned(path).write(make_batch(0, [(1, version, "a")], columns=COLUMNS))


def test_a_key_cannot_be_null(path: Path) -> None:
    with pytest.raises(RefusedError, match="row 2, column 'id': a key cannot be null"):
        versioned(path).write(make_batch(0, [(1, 1, "a"), (None, 1, "b")], columns=COLUMNS))


def test_a_key_of_many_columns_and_a_batch_column(path: Path) -> None:
    sink = versioned(path, key=("value", "id"), batch_column="batch")
    write(sink, 0, [(1, 1, "a"), (1, 1, "b"), (2, 1, "a")])
    write(sink, 1, [(1, 2, "b")])
    expected = [(1, 1, "a", 0), (2, 1, "a", 0), (1, 2, "b", 1)]
    assert table_rows(path) == Counter(expected)


def test_a_table_that_is_all_key(path: Path) -> None:
    sink = versioned(path, key=("id", "name"), version=None)
    for batch_id in (0, 1):
        assert sink.write(make_batch(batch_id, [(1, "a"), (1, "a"), (2, "b")]))
    assert table_rows(path) == Counter([(1, "a"), (2, "b")])


def test_a_key_needs_to_be_unique_in_the_table(path: Path) -> None:
    execute(path, "CREATE TABLE events (id INTEGER, version INTEGER, value TEXT)")
    message = "nothing makes 'id' unique in table 'events'"
    with pytest.raises(UsageError, match=message):
        versioned(path)
    execute(path, "CREATE UNIQUE INDEX part ON events (id) WHERE id > 5")
    with pytest.raises(UsageError, match=message):
        versioned(path)
    execute(path, "CREATE UNIQUE INDEX expression ON events (abs(id))")
    with pytest.raises(UsageError, match=message):
        versioned(path)
    execute(path, "CREATE UNIQUE INDEX whole ON events (id)")
    write(versioned(path), 0, [(1, 1, "a"), (1, 2, "b")])
    assert table_rows(path) == Counter([(1, 2, "b")])


def test_another_constraint_refuses_the_whole_batch(path: Path) -> None:
    execute(
        path, "CREATE TABLE events (id INTEGER PRIMARY KEY, version INTEGER, value TEXT UNIQUE)"
    )
    sink = versioned(path)
    write(sink, 0, [(1, 1, "a")])
    with pytest.raises(RefusedError, match=r"UNIQUE constraint failed: events\.value"):
        sink.write(make_batch(1, [(5, 1, "b"), (2, 1, "a")], columns=COLUMNS))
    assert table_rows(path) == Counter([(1, 1, "a")])
    assert sink.last_batch(make_batch(0, []).query_id) == 0


def test_options_name_columns_of_the_batch(path: Path) -> None:
    with pytest.raises(UsageError, match="the rows have no column 'nr', which key names"):
        versioned(path, key=("nr",)).write(make_batch(0, [(1, 1, "a")], columns=COLUMNS))
    with pytest.raises(UsageError, match="the rows have no column 'at', which version names"):
        versioned(path, version="at").write(make_batch(0, [(1, 1, "a")], columns=COLUMNS))
    with pytest.raises(UsageError, match="the rows have no column 'id', which key names"):
        versioned(path, columns="version long, value string")


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.none() | st.integers(0, 4), st.sampled_from("abc")), max_size=8
)


@given(batches=st.lists(ROWS, max_size=5), seed=st.randoms(use_true_random=False))
def test_the_table_is_the_newest_of_each_key(
    memory: Path, batches: list[list[tuple[Any, ...]]], seed: Any
) -> None:
    """Against a plain dictionary; shuffling the rows of each batch changes nothing."""
    found = []
    for name in ("one", "two"):
        path = memory / f"{name}-{uuid4()}.db"
        sink = versioned(path, columns="id long, version long, value string")
        for batch_id, rows in enumerate(batches):
            seed.shuffle(rows)
            write(sink, batch_id, rows)
        found.append(table_rows(path))
    assert found[0] == found[1]
    best: dict[int, tuple[int, set[str]]] = {}
    for rows in batches:
        held = {key: rank for key, (rank, _) in best.items()}
        for key, version, value in rows:
            rank = -1 if version is None else version
            if rank <= held.get(key, -2):
                continue
            if key not in best or rank > best[key][0]:
                best[key] = (rank, {value})
            elif rank == best[key][0]:
                best[key][1].add(value)
    assert sorted(key for key, _, _ in found[0].elements()) == sorted(best)
    for key, version, value in found[0].elements():
        assert (-1 if version is None else version) == best[key][0]
        assert value in best[key][1]
