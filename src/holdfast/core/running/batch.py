"""A batch on its way into a sink."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a sink needs to write one micro-batch exactly once."""

    query_id: str
    sink: str
    batch_id: int
    epoch: int
    columns: Sequence[str]
    rows: Callable[[], Iterator[Sequence[Any]]]
    """Called when the sink is ready for them; values are plain Python, in the order of columns."""
    offsets: Mapping[str, Any]
    """Where the batch begins and ends, per source, for the ledger; may be empty."""
    frame: Callable[[], Any] | None = None
    """The same rows as the engine's own frame, for a sink that lets the engine write them. Who asks
    for it must execute it whole."""
