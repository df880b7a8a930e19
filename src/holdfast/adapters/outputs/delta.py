"""Rows of a Delta table, by delta-rs and not by Spark: what any other reader sees.

Timestamps that Spark writes as INT96 come back as others outside the years 1677 to 2262, as
delta-rs takes them for nanoseconds: the same ones every time, so they can be compared.
"""

from pathlib import Path

import pyarrow
from deltalake import DeltaTable, QueryBuilder
from deltalake.exceptions import DeltaError

from holdfast.core.crash.table import EMPTY, Table, table_of
from holdfast.errors import UnreachableError


class DeltaOutput:
    """Implements audit.room.Output."""

    def __init__(self, folder: Path) -> None:
        """Nothing is opened yet; a table that has no version yet has no rows."""
        self._folder = folder

    def read(self) -> Table:
        """Every row of the newest version."""
        try:
            if not DeltaTable.is_deltatable(str(self._folder)):
                return EMPTY
            # By query and not to_pyarrow_table(), which knows no deletion vectors.
            query = QueryBuilder().register("output", DeltaTable(str(self._folder)))
            stream = query.execute("SELECT * FROM output")
            found = pyarrow.RecordBatchReader.from_stream(stream).read_all()
            columns = [column.to_pylist() for column in found.columns]
            return table_of(found.column_names, zip(*columns, strict=True))
        except (DeltaError, OSError, ValueError, pyarrow.lib.ArrowException) as error:
            raise UnreachableError(
                f"the output cannot be read: {error}", subject=str(self._folder)
            ) from error
