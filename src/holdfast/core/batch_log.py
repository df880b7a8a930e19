"""A log of batches, offsets/ or commits/, as its names tell: first, last, gaps, leftovers."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.core.formats.log_name import (
    checksum_target,
    is_temporary,
    split_batch_ids,
    temporary_target,
)
from holdfast.core.tree import Tree

GAPS_MAX = 1_000
"""Missing ids that are listed one by one; more than that are only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLog:
    """The batches of one log, in ascending order."""

    directory: str
    ids: Sequence[int]
    temporary: tuple[str, ...]
    foreign: tuple[str, ...]

    @property
    def first(self) -> int | None:
        """The oldest batch kept."""
        return self.ids[0] if self.ids else None

    @property
    def last(self) -> int | None:
        """The newest batch."""
        return self.ids[-1] if self.ids else None

    @property
    def missing_count(self) -> int:
        """How many ids between the first and the last have no file."""
        return self.ids[-1] - self.ids[0] + 1 - len(self.ids) if self.ids else 0

    def gaps(self, limit: int = GAPS_MAX) -> list[int]:
        """The missing ids, ascending, at most `limit` of them."""
        result: list[int] = []
        if not self.missing_count:
            return result
        for before, after in zip(self.ids, self.ids[1:], strict=False):
            for missing in range(before + 1, after):
                if len(result) >= limit:
                    return result
                result.append(missing)
        return result

    def before(self, batch: int) -> int | None:
        """The newest batch kept below this one, which may be further back than one."""
        index = bisect_left(self.ids, batch)
        return self.ids[index - 1] if index else None

    def path(self, batch: int) -> str:
        """Path of a batch's file, relative to the checkpoint."""
        return f"{self.directory}/{batch}"

    def unfinished(self, batch: int) -> bool:
        """Whether a temporary file of this batch was left behind."""
        return any(temporary_target(name) == str(batch) for name in self.temporary)


def read_batch_log(tree: Tree, directory: str) -> BatchLog:
    """Sort the names of one log directory into batches, leftovers and strangers."""
    temporary: list[str] = []
    foreign: list[str] = []
    ids, others = split_batch_ids(tree.names(directory))
    for name in others:
        if is_temporary(name):
            temporary.append(name)
        elif checksum_target(name) is None:
            foreign.append(name)
    return BatchLog(
        directory=directory,
        ids=ids,
        temporary=tuple(sorted(temporary)),
        foreign=tuple(sorted(foreign)),
    )


def predecessor(offsets: BatchLog, commits: BatchLog, batch: int, *, stateful: bool) -> int | None:
    """The batch whose plan says where this one begins, None where there is none to be had.

    It is the batch before, or, with asynchronous progress tracking, the last one written down
    (AsyncOffsetSeqLog.getPrevBatchFromStorage).
    """
    before = offsets.before(batch)
    if before == batch - 1 or before is None:
        return before
    return None if stateful or batch - 1 in set(commits.ids) else before


def written_now_and_then(offsets: BatchLog, commits: BatchLog, *, stateful: bool) -> bool:
    """Say whether both logs lack the batch before the newest plan, and older ones are there.

    AsyncProgressTrackingMicroBatchExecution persists a batch only every so often, in both logs;
    a plan that somebody deleted leaves its commit behind. It refuses stateful queries.
    """
    newest = offsets.last
    if stateful or not newest or len(offsets.ids) < 2:
        return False
    before = newest - 1
    return before not in set(offsets.ids[-2:]) and before not in set(commits.ids[-3:])
