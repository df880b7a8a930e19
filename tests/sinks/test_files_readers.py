"""The files sink as its readers see it, whichever they are."""

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow.dataset
import pytest

from holdfast.adapters.sinks.files.sink import FilesSink
from holdfast.errors import (
    UsageError,
)
from holdfast.files import duckdb_view, published
from tests.sinks.files_tables import COLUMNS, QUERY, counted, filled, opened, wanted

PARQUET_READERS = {
    "duckdb glob": lambda f: duckdb.sql(f"SELECT id, day, text FROM '{f}/**/*.parquet'").fetchall(),
    "pandas": lambda f: pandas.read_parquet(f)[list(COLUMNS)].itertuples(index=False),
    "polars folder": lambda f: polars.read_parquet(f).select(COLUMNS).rows(),
    "pyarrow dataset": lambda f: (
        tuple(row.values())
        for row in pyarrow.dataset.dataset(f, partitioning="hive")
        .to_table(columns=list(COLUMNS))
        .to_pylist()
    ),
}


@pytest.mark.parametrize("reader", PARQUET_READERS)
@pytest.mark.parametrize("partition_by", [[], ["day"]])
def test_readers_of_the_folder_see_whole_batches(
    reader: str, partition_by: list[str], tmp_path: Path
) -> None:
    table = tmp_path / "orders"
    filled(table, 2, partition_by=partition_by)
    # One killed attempt of each kind: before its mark, and before it was published.
    sink = opened(table, partition_by=partition_by)
    leave_staged(sink, table)
    assert counted(PARQUET_READERS[reader](str(table))) == wanted(0, 1)
    assert counted(PARQUET_READERS[reader](f"{table}/")) == wanted(0, 1)


def leave_staged(sink: FilesSink, table: Path) -> None:
    aside = table.parent / f"_{table.name}.ledger" / "staging" / QUERY / "1-2-abc"
    shutil.copytree(table / "batch=1", aside)


@pytest.mark.parametrize("form", ["csv", "json"])
def test_lines_for_every_reader(form: str, tmp_path: Path) -> None:
    table = tmp_path / "orders"
    filled(table, 3, format=form, **({"header": True} if form == "csv" else {}))
    found = duckdb.sql(f"SELECT id, day, text FROM '{table}/**/*.{form}'").fetchall()
    assert counted(found) == wanted(0, 1, 2)
    read = pandas.read_csv if form == "csv" else pandas.read_json
    options: dict[str, Any] = {} if form == "csv" else {"lines": True}
    frames = [read(file, **options) for file in published(table).files]
    assert counted(pandas.concat(frames)[list(COLUMNS)].itertuples(index=False)) == wanted(0, 1, 2)


def test_the_list_of_published_files_and_a_view(tmp_path: Path) -> None:
    table = tmp_path / "it's"
    filled(table)
    found = published(table)
    assert (found.batches, found.rows, found.format) == (3, 15, "parquet")
    frame = pandas.read_parquet(list(found.files))[list(COLUMNS)]
    assert counted(frame.itertuples(index=False)) == wanted(0, 1, 2)
    with duckdb.connect() as connection:
        connection.execute(duckdb_view(table, 'my "orders"'))
        rows = connection.execute('SELECT id, day, text FROM "my ""orders"""').fetchall()
    assert counted(rows) == wanted(0, 1, 2)


def test_a_view_of_nothing(tmp_path: Path) -> None:
    opened(tmp_path / "t")
    with duckdb.connect() as connection:
        connection.execute(duckdb_view(tmp_path / "t", "v"))
        assert connection.execute("SELECT * FROM v").fetchall() == []
    with pytest.raises(UsageError, match="no table"):
        published(tmp_path / "elsewhere")
