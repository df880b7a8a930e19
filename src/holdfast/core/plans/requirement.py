"""What a plan has looked at and builds upon: where it no longer holds, the plan is stale."""

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class FileIs:
    """One file has these bytes, or is not there."""

    kind: Literal["file"] = "file"
    place: str
    name: str
    sha256: str | None
    """None: it must not be there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestIs:
    """A log of batches ends where it did; a query that ran meanwhile moved it."""

    kind: Literal["newest"] = "newest"
    place: str
    log: Literal["offsets", "commits"]
    newest: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochIs:
    """Nobody has taken the lease since."""

    kind: Literal["epoch"] = "epoch"
    number: int
    """0: nobody ever held it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkIs:
    """The sink remembers what it did."""

    kind: Literal["sink"] = "sink"
    sink: str
    """As `--sink` spells it; a sink that cannot be spelled without a secret is never named."""
    query_id: str | None
    last: int | None
    """The highest batch of this query that it holds; None where it holds none."""
    version: int | None = None
    """The newest version of a table that has versions; None where it has none."""


Requirement: TypeAlias = FileIs | NewestIs | EpochIs | SinkIs
