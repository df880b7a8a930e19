"""The sink that the conformance suite is run against, and the batches that it is given."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from holdfast.core.running.batch import Batch
from holdfast.core.running.ports import BatchSink

Row = Sequence[Any]

Guarantee = Literal["atomic", "exactly-once", "at-least-once"]
"""What a sink promises.

atomic: rows and the mark of their batch become visible together; what a BatchSink must do.
exactly-once: every row once in the end, but rows may be seen before the mark of their batch, in
pieces. What a target can give that takes each piece once by its name.
at-least-once: no row is lost; whenever a writer ends in the middle, up to `repeated_max` rows of
its batch may be there once more.
"""

QUERY = "0b54a8a2-6d0e-4f0c-9f57-3f6c1b6c7d01"
OTHER_QUERY = "c1f7a3de-8a55-4c39-8c4b-52f0f5ac9e02"


class Candidate:
    """What the author of a sink fills in: `open_sink` and `read`, the rest where it does not fit.

    Its methods are called in other processes too, which import the test file and make the class
    without arguments: whatever they need must come from the folder or the environment.
    """

    columns: Sequence[str] = ("id", "version", "text")
    guarantee: Guarantee = "atomic"
    """Never weaker than what the sink is documented to promise."""
    repeated_max: int = 0
    """For at-least-once: the most rows that one interruption may repeat."""

    def open_sink(self, folder: Path) -> BatchSink:
        """A new sink that keeps everything it has for this folder; touches nothing yet."""
        raise NotImplementedError("write open_sink(self, folder): it makes the sink to be tested")

    def read(self, folder: Path) -> Iterable[Row]:
        """The rows that a reader of the sink sees now, values in the order of `columns`.

        None before anything was written. Read as your readers do, and not through the sink.
        """
        raise NotImplementedError("write read(self, folder): it gives the rows that readers see")

    def rows(self, batch_id: int) -> Sequence[Row]:
        """The rows of a batch, always the same ones.

        Batches share ids, so that upserts have something to replace, and one row is there twice.
        """
        rows = [(key, batch_id, f"{batch_id}/{key}") for key in range(batch_id, batch_id + 5)]
        return [*rows, rows[0]]

    def expected(self, rows: Sequence[Row]) -> Iterable[Row]:
        """What a reader sees once these rows, in this order, have been written: all of them."""
        return rows


def batch_of(
    candidate: Candidate,
    sink: BatchSink,
    batch_id: int,
    *,
    epoch: int = 1,
    query_id: str = QUERY,
    rows: Callable[[], Iterator[Row]] | None = None,
) -> Batch:
    """A batch for a sink; its rows are those of the candidate unless told otherwise."""
    return Batch(
        query_id=query_id,
        sink=sink.name,
        batch_id=batch_id,
        epoch=epoch,
        columns=tuple(candidate.columns),
        rows=rows or (lambda: iter(candidate.rows(batch_id))),
        offsets={"0": {"end": batch_id}},
    )
