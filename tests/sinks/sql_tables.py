"""Sinks, batches and tables for the tests of the SQL sink."""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from holdfast.adapters.sinks.sql import SqlSink, Steps, no_steps
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.core.running.batch import Batch

QUERY = "6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11"


def make_sink(path: Path, *, steps: Steps = no_steps, **options: Any) -> SqlSink:
    settings = {"url": str(path), "table": "events", "create": True, **options}
    return SqlSink(SqlSinkOptions(**settings), steps=steps)


def opened(path: Path, epoch: int = 1, *, steps: Steps = no_steps, **options: Any) -> SqlSink:
    sink = make_sink(path, steps=steps, **options)
    sink.open(QUERY, epoch)
    return sink


def make_batch(
    batch_id: int,
    rows: Sequence[Sequence[Any]],
    *,
    columns: Sequence[str] = ("id", "name"),
    epoch: int = 1,
    sink: str = "events",
    offsets: Mapping[str, Any] | None = None,
    query_id: str = QUERY,
) -> Batch:
    return Batch(
        query_id=query_id,
        sink=sink,
        batch_id=batch_id,
        epoch=epoch,
        columns=columns,
        rows=lambda: iter(rows),
        offsets=offsets or {},
    )


def execute(path: Path, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def table_rows(path: Path, table: str = "events", what: str = "*") -> Counter[tuple[Any, ...]]:
    """Every row with how often it is there. Never a set: a set hides duplicates."""
    quoted = '"' + table.replace('"', '""') + '"'
    return Counter(execute(path, f"SELECT {what} FROM {quoted}"))
