"""What a writer in another process is told to do, and what it says of itself; sent as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

MomentKind = Literal["write", "row", "step"]
"""A write is about to begin; a row, or the end of the rows, is about to be given; a step that the
sink announces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The n-th of its kind in the life of a writer, counted from 1."""

    kind: MomentKind
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Open the sink of a folder with an epoch and write these batches."""

    folder: str
    epoch: int
    batches: tuple[int, ...] = ()
    at: Moment | None = None
    then: Literal["kill", "pause"] = "kill"

    def to_json(self) -> dict[str, Any]:
        """As sent."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """As received."""
        at = told["at"]
        return cls(
            folder=told["folder"],
            epoch=told["epoch"],
            batches=tuple(told["batches"]),
            at=None if at is None else Moment(**at),
            then=told["then"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How a writer ended."""

    exit_code: int
    """Negative for a signal."""
    reached: str = ""
    """The moment at which it was to die or to pause, as text."""
    found: int | None = None
    """The last batch of the query right after the sink was opened."""
    wrote: tuple[bool, ...] = ()
    """What each write gave; shorter than the order where one failed."""
    last: int | None = None
    """The last batch of the query at the end."""
    error: str = ""
    """What was raised, '' where nothing was."""
    is_fenced: bool = False
    """Whether that was FencedError."""
