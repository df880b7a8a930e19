"""From where to where a batch reads, as its plan in offsets/ says, for the ledger of a sink."""

import json
from collections.abc import Mapping
from typing import Any

from holdfast.adapters.storage.opening import open_storage
from holdfast.core.formats.offset_log import parse_offset_entry
from holdfast.core.limits import LOG_BYTES_MAX
from holdfast.core.ports import Storage
from holdfast.errors import CheckpointError, HoldfastError, UnreachableError

Ends = tuple[Any, ...] | None


class BatchRanges:
    """Reads one plan for each batch; the end of a batch is the start of the next."""

    def __init__(self, checkpoint: str) -> None:
        """The checkpoint need not exist yet."""
        self._checkpoint = checkpoint
        self._storage: Storage | None = None
        self._last: tuple[int, Ends] | None = None

    def of(self, batch_id: int) -> Mapping[str, Any]:
        """Start and end of each source by its position; empty where the plan cannot be read.

        The plan is written before its batch runs (MicroBatchExecution.constructNextBatch), but
        not under asynchronous progress tracking. A ledger without ranges still tells batches
        apart; it only cannot say later what they covered.
        """
        end = self._ends(batch_id)
        if end is None:
            return {}
        start: Ends = ()
        if batch_id > 0:
            known = self._last is not None and self._last[0] == batch_id - 1
            start = self._last[1] if known and self._last else self._ends(batch_id - 1)
        self._last = (batch_id, end)
        before = start or ()
        return {
            str(position): {
                "start": before[position] if position < len(before) else None,
                "end": value,
            }
            for position, value in enumerate(end)
        }

    def _ends(self, batch_id: int) -> Ends:
        name = f"offsets/{batch_id}"
        try:
            if self._storage is None:
                self._storage = open_storage(self._checkpoint)
            content = self._storage.read([name], LOG_BYTES_MAX)[name]
            if isinstance(content, UnreachableError):
                raise content  # the batch fails and comes again: better than a hole in the ledger
            if content is None or isinstance(content, HoldfastError):
                return None
            entry = parse_offset_entry(content)
        except CheckpointError:
            return None
        return tuple(_value(source.text) for source in entry.sources)


def _value(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
