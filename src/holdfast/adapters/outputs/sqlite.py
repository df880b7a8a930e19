"""Rows of a SQLite table, read from a copy.

A database whose writer was killed has a hot journal, which the next one to open it rolls back:
that must be the job that is started again, not us.
"""

import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from holdfast.core.crash.table import EMPTY, Table, table_of
from holdfast.errors import UnreachableError

_WITH = ("", "-journal", "-wal")


class SqliteOutput:
    """Implements audit.output.Output."""

    def __init__(self, path: Path, table: str) -> None:
        """Nothing is opened yet; where there is no such file or table there are no rows."""
        self.path = path
        self._table = table

    def read(self) -> Table:
        """Every row that a reader would see now."""
        with tempfile.TemporaryDirectory(prefix="holdfast-read-") as folder:
            copy = Path(folder) / "copy.db"
            for suffix in _WITH:
                origin = Path(f"{self.path}{suffix}")
                if origin.exists():
                    shutil.copyfile(origin, f"{copy}{suffix}")
            return self._rows(copy) if copy.exists() else EMPTY

    def _rows(self, copy: Path) -> Table:
        quoted = '"' + self._table.replace('"', '""') + '"'
        try:
            with closing(sqlite3.connect(copy)) as connection:
                known = "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?"
                if connection.execute(known, (self._table,)).fetchone() is None:
                    return EMPTY
                found = connection.execute(f"SELECT * FROM {quoted}")
                columns = [column[0] for column in found.description]
                return table_of(columns, found.fetchall())
        except sqlite3.Error as error:
            raise UnreachableError(
                f"the output cannot be read: {error}", subject=str(self.path)
            ) from error
