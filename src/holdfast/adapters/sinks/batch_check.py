"""Mistakes of whoever hands a batch to a sink, found before anything is touched."""

from collections.abc import Container

from holdfast.adapters.sinks.sql_types import canonical_json
from holdfast.core.running.batch import Batch
from holdfast.errors import InternalError


def check_batch(batch: Batch, sink: str, opened: Container[str]) -> None:
    """Raises InternalError where the sink was not opened for the query, or is another one."""
    if batch.query_id not in opened:
        raise InternalError(f"sink {sink!r} was not opened for this query", subject=batch.query_id)
    if batch.sink != sink:
        raise InternalError(
            f"a batch for sink {batch.sink!r} came to sink {sink!r}", subject=batch.query_id
        )


def check_offsets(batch: Batch) -> None:
    """Raises InternalError where a ledger could not keep the offsets."""
    try:
        canonical_json(batch.offsets)
    except ValueError as error:
        raise InternalError(
            f"the offsets of batch {batch.batch_id} cannot be kept: {error}",
            subject=batch.query_id,
        ) from error
