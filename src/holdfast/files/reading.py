"""What is published of a table, and views over it."""

from dataclasses import dataclass
from pathlib import Path

from holdfast.adapters.file_tables.published import published_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Whole batches of a table, as its ledger has them now."""

    files: tuple[str, ...]
    """Paths or URLs of every file, in the order of the batches."""
    rows: int
    batches: int
    format: str
    """parquet, csv or json."""


def published(path: str | Path, *, ledger: str | None = None) -> Published:
    """The files of every published batch of a table, for any reader that takes a list.

    Checked against the ledger: that nothing is missing, and that every file has its size. Raises
    UsageError where there is no table, MalformedError where ledger or files were altered.
    """
    table = published_table(str(path), ledger)
    return Published(
        files=tuple(file for batch in table.batches for file in batch.files),
        rows=sum(batch.rows for batch in table.batches),
        batches=len(table.batches),
        format=table.owner.format,
    )


def duckdb_view(path: str | Path, name: str, *, ledger: str | None = None) -> str:
    """A statement for DuckDB that makes a view over the files that are published now.

    The view does not grow with the table: run the statement again for newer batches.
    """
    table = published_table(str(path), ledger)
    quoted = '"' + name.replace('"', '""') + '"'
    files = [file for batch in table.batches for file in batch.files]
    if not files:
        return f"CREATE OR REPLACE VIEW {quoted} AS SELECT NULL AS nothing_yet WHERE false;"
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    reader = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_json"}
    options = "hive_partitioning = true, union_by_name = true"
    return (
        f"CREATE OR REPLACE VIEW {quoted} AS SELECT * FROM "
        f"{reader[table.owner.format]}([{listed}], {options});"
    )
