"""A batch as chunks that are the same at every replay, however Spark spread the rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from typing import Any

from holdfast.adapters.sinks.own.encoding import encoded
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError

Row = Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive rows of a batch in its canonical order."""

    number: int
    rows: tuple[Row, ...]
    digest: str


def chunks_of(batch: Batch, rows_max: int) -> Iterator[Chunk]:
    """Cut a batch; none where it has no rows. Holds one chunk in memory.

    Where the engine sorts (`Batch.in_order`), it does so by a number made from each row; rows that
    share a number are told apart here. Equal rows are all kept. Without an engine the rows are
    sorted in memory. Raises RefusedError where a value has no canonical form.
    """
    names = encoded([str(name) for name in batch.columns])
    state, held, number = blake2b(names, digest_size=16), [], 0
    for raw, row in _in_order(batch):
        held.append(row)
        state.update(raw)
        if len(held) == rows_max:
            yield Chunk(number=number, rows=tuple(held), digest=state.hexdigest())
            state, held, number = blake2b(names, digest_size=16), [], number + 1
    if held:
        yield Chunk(number=number, rows=tuple(held), digest=state.hexdigest())


def _in_order(batch: Batch) -> Iterator[tuple[bytes, Row]]:
    if batch.in_order is None:
        yield from _settled(batch, batch.rows())
        return
    for _, group in groupby(batch.in_order(), key=lambda found: found[0]):
        yield from _settled(batch, (row for _, row in group))


def _settled(batch: Batch, rows: Iterable[Row]) -> Iterator[tuple[bytes, Row]]:
    """Rows by their encoding; equal ones are counted, so that many of them need no memory."""
    seen: dict[bytes, tuple[Row, int]] = {}
    for row in rows:
        raw = _encoded(batch, row)
        first, count = seen.get(raw, (row, 0))
        seen[raw] = (first, count + 1)
    for raw in sorted(seen):
        row, count = seen[raw]
        for _ in range(count):
            yield raw, row


def _encoded(batch: Batch, row: Row) -> bytes:
    try:
        return encoded(row)
    except ValueError as error:
        raise RefusedError(
            f"batch {batch.batch_id}: {error}",
            subject=batch.query_id,
            next_action="change the value in the transform",
        ) from error
