"""Versions of a table that hold batches which are to be done again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpan:
    """What a Delta table would lose by going back to the end of a batch."""

    place: str
    """The folder of the table."""
    app: str
    packed: bool
    """Whether its marks pack epoch and batch, as our own sink writes them."""
    version: int
    mark: int
    to_version: int | None
    """The newest version without any of these batches; None where none of them is in the table."""
    rows: int | None = None
    """Rows now, by the statistics of its files; None where a file has none."""
    rows_kept: int | None = None
    """Rows of the earlier version."""
    hinders: str | None = None
    """Why the table cannot go back there; None where it can."""
