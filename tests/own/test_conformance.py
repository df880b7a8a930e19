"""Sinks of one's own run what everybody's sinks run, as far as each guarantee goes."""

import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.records.local import LocalRecords
from holdfast.adapters.sinks.own.function import open_sink as open_python
from holdfast.adapters.sinks.own.http import open_sink as open_http
from holdfast.adapters.sinks.own.sink import OwnSink
from holdfast.testing import SinkConformance
from tests.own import targets
from tests.own.chunk_server import rows_in
from tests.own.conftest import PORT

CHUNK = 3


def with_records(sink: OwnSink, folder: Path) -> OwnSink:
    sink._records = LocalRecords(folder / "records")
    return sink


def python_sink(folder: Path, **options: Any) -> OwnSink:
    passed = {"path": str(folder / "rows.db")}
    return with_records(open_python({"chunk_rows": CHUNK, "options": passed, **options}), folder)


class TestAsked(SinkConformance):
    """The target keeps the token with the rows, and can be asked."""

    guarantee = "exactly-once"

    def open_sink(self, folder: Path) -> OwnSink:
        return python_sink(folder, function=targets.store, has=targets.has)

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        return targets.rows_of(folder / "rows.db")


class TestForgetful(SinkConformance):
    """The target can do neither."""

    guarantee = "at-least-once"
    repeated_max = CHUNK

    def open_sink(self, folder: Path) -> OwnSink:
        return python_sink(folder, function=targets.forgetful)

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        return targets.rows_of(folder / "rows.db")


@pytest.mark.usefixtures("port")
class TestHttp(SinkConformance):
    """The server remembers tokens."""

    guarantee = "exactly-once"

    def open_sink(self, folder: Path) -> OwnSink:
        url = f"http://127.0.0.1:{os.environ[PORT]}/{folder}"
        sink = open_http({"url": url, "name": "rows", "chunk_rows": CHUNK, "remembers": True})
        return with_records(sink, folder)

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        return [(row["id"], row["version"], row["text"]) for row in rows_in(folder)]
