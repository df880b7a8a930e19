"""The SQL sink on PostgreSQL runs what everybody's sinks run."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from holdfast.adapters.sinks.sql import SqlSink
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.testing import SinkConformance
from tests.sinks.servers import POSTGRES, needs_soak, pg, postgres_url, table_for

COLUMNS = "id long, version long, text string"
pytestmark = pytest.mark.server


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[str]:
    with postgres_url() as url:
        yield url


class OnPostgres(SinkConformance):
    options: dict[str, Any] = {}  # noqa: RUF012

    def open_sink(self, folder: Path) -> SqlSink:
        url, table = os.environ[POSTGRES], table_for(folder)
        options = {"url": url, "table": table, "create": True, "columns": COLUMNS, **self.options}
        return SqlSink(SqlSinkOptions(**options))

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        try:
            return pg(os.environ[POSTGRES], f"SELECT id, version, text FROM {table_for(folder)}")
        except psycopg.errors.UndefinedTable:  # killed before there was a table
            return []


class TestAppend(OnPostgres):
    """Rows go in by COPY into the target."""


@needs_soak
class TestUpsert(OnPostgres):
    """Behind a variable: on MariaDB it runs always, and the protocol is the same code."""

    options = {"mode": "upsert", "key": ("id",), "version": "version"}  # noqa: RUF012

    def expected(self, rows: Sequence[Sequence[Any]]) -> Iterable[Sequence[Any]]:
        newest: dict[int, Sequence[Any]] = {}
        for row in rows:
            if row[0] not in newest or row[1] > newest[row[0]][1]:
                newest[row[0]] = row
        return newest.values()
