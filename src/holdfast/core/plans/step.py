"""Steps of a plan: small, in order, each with two states of the world and a way between them.

A step describes what the world is before it and after it, never only what to do. So it can be
carried out again after a kill at any moment, and undone from wherever it stopped: whoever does so
looks which of the two is there, and goes the rest of the way. What is neither is somebody else's
change, and stops the operation.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMark:
    """A file as it was when the plan was made."""

    name: str
    """Relative to its place."""
    size_bytes: int
    sha256: str | None
    """None for a file so large that it was not read: its size stands for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutAside:
    """Move files from a place into the archive of this operation, under their own names."""

    kind: Literal["put-aside"] = "put-aside"
    place: str
    files: tuple[FileMark, ...]
    says: str
    undo_says: str = "put back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """Create one file that is not there."""

    kind: Literal["create"] = "create"
    place: str
    name: str
    data: bytes
    says: str
    undo_says: str = "put aside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """Copy files from one place to another, where none of them is."""

    kind: Literal["copy"] = "copy"
    source: str
    place: str
    files: tuple[FileMark, ...]
    says: str
    undo_says: str = "put the copies aside"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreTable:
    """Bring a Delta table back to an earlier version, and what it remembers with it.

    One commit does both, so there is no half-way: the table is as before, or as after.
    """

    kind: Literal["restore-table"] = "restore-table"
    place: str
    """The folder of the table."""
    version: int
    """The newest version when the plan was made; an undo brings back what it held."""
    to_version: int
    app: str
    """Under which id the table remembers the query."""
    mark: int
    """The transaction version of this id when the plan was made."""
    to_mark: int
    """The one that it is to have; the same where batches come again under new ids."""
    says: str
    undo_says: str = "bring back the rows and what it remembered"


Step: TypeAlias = PutAside | Create | Copy | RestoreTable
