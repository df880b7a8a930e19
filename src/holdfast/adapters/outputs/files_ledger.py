"""Rows of a table of the files sink, by its ledger and by its folder: both must say the same."""

from pathlib import Path

from holdfast.adapters.file_tables.published import published_table
from holdfast.adapters.outputs.files import FilesOutput
from holdfast.core.crash.table import EMPTY, Table
from holdfast.errors import MalformedError, UnreachableError, UsageError


class FilesLedgerOutput:
    """Implements audit.room.Output."""

    def __init__(self, folder: Path) -> None:
        """Nothing is opened yet; a table that nobody has begun has no rows."""
        self._folder = folder

    def read(self) -> Table:
        """Every row of every published batch.

        Raises UnreachableError where the ledger does not fit, and where a reader that knows none
        would find other files in the folder.
        """
        try:
            table = published_table(str(self._folder))
        except UsageError:
            return EMPTY
        except MalformedError as error:
            raise UnreachableError(error.message, subject=error.subject) from error
        listed = {Path(file) for batch in table.batches for file in batch.files}
        folder = Path(table.addresses.table)
        output = FilesOutput(folder, parquet=table.owner.format == "parquet", by_log=False)
        there = set(output.files())
        if there != listed:
            odd = min(there ^ listed)
            raise UnreachableError(
                "the folder and its ledger do not agree: readers of the folder see other files",
                subject=str(odd),
            )
        # Which batch a row came with is no part of it.
        own = {f"{table.owner.batch_column}=", *(("query=",) if table.owner.query is None else ())}
        return output.read().without(frozenset(own))
