"""The files sink runs what everybody's sinks run; its readers are those who know no ledger."""

from pathlib import Path
from typing import Any

import pandas  # noqa: F401
import pyarrow.parquet
import pytest

# This and pandas, which pyarrow asks for, are not used here: a writer is forked from a process that
# has them, and need not load them each time.
import holdfast.adapters.sinks.files.by_arrow  # noqa: F401
from holdfast.adapters.sinks.files.sink import FilesSink, open_sink
from holdfast.errors import RefusedError
from holdfast.testing import SinkConformance
from holdfast.testing.candidate import OTHER_QUERY, QUERY
from holdfast.testing.protocol import ProtocolTests


def rows_by_glob(folder: Path) -> list[tuple[Any, ...]]:
    """Every file that any reader of the folder could find."""
    found: list[tuple[Any, ...]] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            table = pyarrow.parquet.ParquetFile(path).read()
            columns = [table.column(name).to_pylist() for name in ("id", "version", "text")]
            found += zip(*columns, strict=True)
    return found


class TestOneQuery(SinkConformance):
    def open_sink(self, folder: Path) -> FilesSink:
        return open_sink({"path": str(folder / "events")})

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        return rows_by_glob(folder / "events")

    def test_queries_do_not_mix(self, tmp_path: Path) -> None:
        """The folder is the first query's: another one is refused, whatever its epoch."""
        self.open_sink(tmp_path).open(QUERY, 1)
        with pytest.raises(RefusedError, match=f"belongs to query {QUERY}"):
            self.open_sink(tmp_path).open(OTHER_QUERY, 7)


class TestSharedFolder(ProtocolTests):
    """Where several queries may write; what kills do is the same as above."""

    def open_sink(self, folder: Path) -> FilesSink:
        return open_sink({"path": str(folder / "events"), "shared": True})

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        return rows_by_glob(folder / "events")
