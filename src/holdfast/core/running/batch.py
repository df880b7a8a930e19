"""A batch on its way into a sink."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a sink needs to write one micro-batch exactly once."""

    query_id: str
    sink: str
    batch_id: int
    epoch: int
    columns: Sequence[str]
    rows: Callable[[], Iterator[Sequence[Any]]]
    """Called when the sink is ready for them, once at most; values are plain Python, in the order
    of columns. A sink that tries again must have kept what it was given: a second call runs the
    plan of the query again, which a stateful one does not bear."""
    offsets: Mapping[str, Any]
    """Where the batch begins and ends, per source, for the ledger; may be empty."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Types of columns by the engine's own names, where it has said them."""
    computed: Callable[[Sequence[str]], Iterator[Sequence[list[Any]]]] | None = None
    """The same rows in chunks, as columns of plain values, one for each expression in the engine's
    own language: much quicker than rows where there are many. In place of rows, and asked once."""
    frame: Callable[[], Any] | None = None
    """The same rows as the engine's own frame, for a sink that lets the engine write them. Who asks
    for it must execute it whole."""
    in_order: Callable[[], Iterator[tuple[int, Sequence[Any]]]] | None = None
    """The same rows, each with a number that is made from its values alone, sorted by it; rows of
    one number come in any order. For a sink that needs the same order at every replay. The engine
    sorts: no more than a part of the rows is in memory here."""
    arrow: Callable[[int], Iterator[Any]] | None = None
    """The same rows as Arrow batches of at most so many rows each, for a sink that has one stream.
    In place of rows, and asked once. None where the engine has many cores, of which this would use
    two."""
    on_executors: "OnExecutors | None" = None
    """The same rows, each part of them given to a function where it is computed. In place of rows,
    and asked once."""


class OnExecutors(Protocol):
    """Runs functions of ours in the engine's workers, beside the rows."""

    def have(self, modules: Sequence[str]) -> bool:
        """Whether the workers can load these modules; asks one of them, and remembers."""
        ...

    def each(
        self, function: Callable[[Iterator[Any]], Iterator[Any]], columns: str, parts_max: int
    ) -> Sequence[Sequence[Any]]:
        """Give each part of the rows, as Arrow batches, to a function; executes the plan whole.

        What the function gives, Arrow batches of these columns, comes back as rows: those of
        attempts that won, and of no other. At most so many parts are worked on at a time, but for
        attempts that the engine starts twice.
        """
        ...
