"""Rows cut into pieces that fit into memory and into one message."""

from collections.abc import Iterator

from holdfast.adapters.sinks.databases.port import SizedRows
from holdfast.adapters.sinks.sql_types import Stored

CHUNK_ROWS_MAX = 1_000
"""Rows sent to the database at once."""

CHUNK_BYTES_MAX = 4 * 1024 * 1024
"""Their bytes together, give or take one row: what bounds memory where rows are large."""


def chunks(rows: SizedRows) -> Iterator[list[tuple[Stored, ...]]]:
    """Pieces of at most so many rows and bytes; none is empty."""
    chunk: list[tuple[Stored, ...]] = []
    size = 0
    for values, bytes_of_row in rows:
        chunk.append(values)
        size += bytes_of_row
        if len(chunk) >= CHUNK_ROWS_MAX or size >= CHUNK_BYTES_MAX:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
