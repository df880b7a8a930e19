"""Rows of the files of a folder: as Spark reads them, by its log, or as every other reader does."""

from pathlib import Path
from typing import Any

import pyarrow.lib
import pyarrow.parquet

from holdfast.adapters.outputs.table_files import data_files, partition_values
from holdfast.core.crash.table import EMPTY, Table, table_of
from holdfast.errors import UnreachableError


class FilesOutput:
    """Implements audit.room.Output."""

    def __init__(self, folder: Path, *, parquet: bool, by_log: bool) -> None:
        """Take a folder of Parquet files, or of files whose rows are lines (JSON, CSV, text)."""
        self._folder = folder
        self._parquet = parquet
        self._by_log = by_log

    def read(self) -> Table:
        """Every row that such a reader would see now."""
        if not self._folder.is_dir():
            return EMPTY
        found: list[dict[str, Any]] = []
        for path in data_files(self._folder, by_log=self._by_log):
            values = {
                f"{name}=": value for name, value in partition_values(path, self._folder).items()
            }
            found += [{**row, **values} for row in self._rows(path)]
        columns = sorted({name for row in found for name in row})
        return table_of(columns, ([row.get(name) for name in columns] for row in found))

    def files(self) -> list[Path]:
        """Every file that such a reader would take."""
        there = self._folder.is_dir()
        return data_files(self._folder, by_log=self._by_log) if there else []

    def _rows(self, path: Path) -> list[dict[str, Any]]:
        try:
            if not self._parquet:
                return [{"line": line} for line in path.read_bytes().splitlines()]
            # Spark's timestamps are INT96 by default, and taken for nanoseconds where nobody says
            # otherwise: those of the year 9999 would come back as others, and some as the same.
            file = pyarrow.parquet.ParquetFile(path, coerce_int96_timestamp_unit="us")
            rows: list[dict[str, Any]] = file.read().to_pylist()
            return rows
        except (OSError, ValueError, OverflowError, pyarrow.lib.ArrowException) as error:
            raise UnreachableError(
                f"a file of the output cannot be read: {error}", subject=str(path)
            ) from error
