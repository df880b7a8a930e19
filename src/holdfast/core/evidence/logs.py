"""What the two logs say: which batches, from where to where, under which settings."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.fact import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRange:
    """offsets/ or commits/: its ends, and what is missing between them."""

    oldest: int | None
    newest: int | None
    count: int
    holes: tuple[int, ...]
    """Ids without a file between the oldest and the newest, at most 1,000 of them."""
    hole_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSpan:
    """From where to where one source goes in a batch."""

    position: int
    name: str | None
    kind: str
    """kafka, delta, file and so on; `unknown` where the offset has a shape of its own."""
    start: str | None
    """Offset as Spark wrote it in the plan before, None where there is none."""
    end: str | None
    amount: int | None
    """How much the batch reads, None where it cannot be counted."""
    unit: str | None
    identity: str | None
    """What the offset itself says it belongs to, such as the id of a Delta table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One file of offsets/."""

    batch: int
    version: int
    timestamp_ms: int | None
    watermark_ms: int | None
    conf: Mapping[str, str]
    sources: tuple[SourceSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One file of commits/."""

    batch: int
    version: int
    next_watermark_ms: int
    has_state_ids: bool
    """Whether it names the state files that count (state format 2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLog:
    """The private log of a file source: which files it has read."""

    position: int
    newest: Fact[int]
    """The highest entry, by which plans count."""
