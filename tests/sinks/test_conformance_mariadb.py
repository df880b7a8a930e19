"""The SQL sink on MariaDB runs what everybody's sinks run."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pymysql
import pytest

from holdfast.adapters.sinks.sql import SqlSink
from holdfast.adapters.sinks.sql_options import SqlSinkOptions
from holdfast.testing import SinkConformance
from tests.sinks.servers import MYSQL, my, mysql_url, needs_soak, table_for

COLUMNS = "id long, version long, text string"
pytestmark = pytest.mark.server


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[str]:
    with mysql_url() as url:
        yield url


class OnMariadb(SinkConformance):
    options: dict[str, Any] = {}  # noqa: RUF012

    def open_sink(self, folder: Path) -> SqlSink:
        url, table = os.environ[MYSQL], table_for(folder)
        options = {"url": url, "table": table, "create": True, "columns": COLUMNS, **self.options}
        return SqlSink(SqlSinkOptions(**options))

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        try:
            return my(os.environ[MYSQL], f"SELECT id, version, text FROM {table_for(folder)}")
        except pymysql.err.ProgrammingError:  # killed before there was a table
            return []


@needs_soak
class TestAppend(OnMariadb):
    """Behind a variable: on PostgreSQL it runs always, and the protocol is the same code."""


class TestUpsert(OnMariadb):
    options = {"mode": "upsert", "key": ("id",), "version": "version"}  # noqa: RUF012

    def expected(self, rows: Sequence[Sequence[Any]]) -> Iterable[Sequence[Any]]:
        newest: dict[int, Sequence[Any]] = {}
        for row in rows:
            if row[0] not in newest or row[1] > newest[row[0]][1]:
                newest[row[0]] = row
        return newest.values()
