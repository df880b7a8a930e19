"""The SQL sink runs what everybody's sinks run."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from holdfast.adapters.sinks.sql import SqlSink
from holdfast.testing import SinkConformance
from tests.sinks.sql_tables import execute, make_sink

COLUMNS = "id long, version long, text string"


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    there = path.exists() and execute(path, "SELECT 1 FROM sqlite_master WHERE name = 'events'")
    return execute(path, "SELECT id, version, text FROM events") if there else []


class TestAppend(SinkConformance):
    def open_sink(self, folder: Path) -> SqlSink:
        return make_sink(folder / "events.db", columns=COLUMNS)

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        return rows_of(folder / "events.db")


class TestUpsert(SinkConformance):
    def open_sink(self, folder: Path) -> SqlSink:
        return make_sink(
            folder / "events.db", columns=COLUMNS, mode="upsert", key=("id",), version="version"
        )

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        return rows_of(folder / "events.db")

    def expected(self, rows: Sequence[Sequence[Any]]) -> Iterable[Sequence[Any]]:
        newest: dict[int, Sequence[Any]] = {}
        for row in rows:
            if row[0] not in newest or row[1] > newest[row[0]][1]:
                newest[row[0]] = row
        return newest.values()
