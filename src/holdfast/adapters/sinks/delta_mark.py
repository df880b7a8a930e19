"""The mark of a batch in a Delta table: epoch and batch in one transaction version.

A Delta table remembers, for each application id, the highest transaction version, and skips a
write whose version is not higher. One number for both makes that rule a fence as well: every
version of a new epoch is higher than every version of an old one.

    version = epoch * 2**40 + (batch id + 1)         batch part 0: no batch yet
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from holdfast.errors import FencedError, InternalError

BATCH_BITS = 40
"""A million million batches: 30,000 years of one a second."""
EPOCH_MAX = 2 ** (63 - BATCH_BITS) - 1
"""8 million starts of one query."""
BATCH_MAX = 2**BATCH_BITS - 2

_NOTE: Final = "holdfast"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaMark:
    """What a Delta table remembers of one query."""

    epoch: int
    last_batch: int | None
    """The newest batch that the table holds, None where it holds none."""

    def __post_init__(self) -> None:
        """Refuse what does not fit into one number: it would read back as something else."""
        if not 0 <= self.epoch <= EPOCH_MAX:
            raise InternalError(f"epoch {self.epoch} does not fit into the mark of a Delta table")
        if self.last_batch is not None and not 0 <= self.last_batch <= BATCH_MAX:
            raise InternalError(
                f"batch {self.last_batch} does not fit into the mark of a Delta table"
            )

    @property
    def version(self) -> int:
        """The transaction version that stands for it."""
        return (self.epoch << BATCH_BITS) + (0 if self.last_batch is None else self.last_batch + 1)

    def holds(self, batch_id: int) -> bool:
        """Whether the rows of this batch are in the table, whichever epoch wrote them."""
        return self.last_batch is not None and self.last_batch >= batch_id

    def check_fence(self, epoch: int, query_id: str, sink: str) -> None:
        """Raises FencedError where a higher epoch has been seen."""
        if self.epoch > epoch:
            raise FencedError(
                f"epoch {self.epoch} has taken over sink {sink!r}; this is epoch {epoch}",
                subject=query_id,
                next_action="stop this query: a newer start of it is writing",
            )


def mark_of(version: int) -> DeltaMark:
    """The mark that a transaction version stands for."""
    batch = version & (2**BATCH_BITS - 1)
    return DeltaMark(epoch=version >> BATCH_BITS, last_batch=batch - 1 if batch else None)


def application_id(query_id: str, sink: str) -> str:
    """Under which name a table remembers a query."""
    return f"holdfast:{query_id}:{sink}"


def note_of(query_id: str, batch_id: int, epoch: int, offsets: str) -> str:
    """What a commit says of its batch, for people who read the history and for replays."""
    said = {"query": query_id, "batch": batch_id, "epoch": epoch, "offsets": offsets}
    return json.dumps({_NOTE: said})


def read_note(text: str | None) -> Mapping[str, Any]:
    """What a commit says of its batch; nothing where it is not one of ours."""
    try:
        said = json.loads(text or "")[_NOTE]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
