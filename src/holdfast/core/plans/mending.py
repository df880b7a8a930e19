"""What keeps a checkpoint from starting, and can be mended: told from names and from what was read.

Only the newest file of each log counts: Spark reads the newest plan, the one before it and the
newest commit (MicroBatchExecution.populateStartOffsets), and passes over temporary files unless
there is no plan at all.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.core.checkpoint import Checkpoint
from holdfast.core.fact import Absent, Fact, Unreadable
from holdfast.core.formats.log_name import checksum_target, hadoop_checksum_of, is_temporary
from holdfast.core.formats.state_name import split_state_name
from holdfast.core.parts import METADATA
from holdfast.core.reading.survey import Survey

NEWER = "HF005"
"""Code of a fact that is of a newer format: nothing is torn about it."""

CHECKSUM_DIFFERS = "HF103"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Where both logs end; None where one has no batch."""

    planned: int | None
    committed: int | None

    @property
    def done_through(self) -> int | None:
        """The newest batch that a restart takes as done."""
        planned = -1 if self.planned is None else self.planned - 1
        done = max(-1 if self.committed is None else self.committed, planned)
        return done if done >= 0 else None


def ends_of(checkpoint: Checkpoint) -> Ends:
    """Where both logs end now."""
    return Ends(planned=checkpoint.offsets.last, committed=checkpoint.commits.last)


def is_torn(fact: Fact[Any]) -> bool:
    """Whether a file is there and holds less than it must; one of a newer format is not torn."""
    return isinstance(fact, Unreadable) and fact.code != NEWER


def with_checksum(found: Survey, names: Iterable[str]) -> tuple[str, ...]:
    """Files and, where they lie beside them, their Hadoop checksums."""
    result = []
    for name in names:
        folder, _, leaf = name.rpartition("/")
        result.append(name)
        checksum = hadoop_checksum_of(leaf)
        if checksum in found.tree.names(folder):
            result.append(f"{folder}/{checksum}" if folder else checksum)
    return tuple(result)


def temporary_files(found: Survey) -> tuple[str, ...]:
    """What unfinished writes left in the logs and below state/, with checksums of such."""
    return tuple(
        f"{directory.path}/{name}"
        for part in ("offsets", "commits", "state")
        for directory in found.tree.below(part)
        for name in directory.names
        if is_temporary(checksum_target(name) or name)
    )


def orphaned_checksums(found: Survey) -> tuple[str, ...]:
    """Hidden checksums in the logs and of `metadata` whose file is gone."""
    return tuple(_orphans(found))


def differing_checksums(checkpoint: Checkpoint, found: Survey) -> tuple[str, ...]:
    """Hidden checksums of log files and of `metadata` that do not agree with their file."""
    names = []
    for finding in checkpoint.warnings:
        folder, _, leaf = finding.path.rpartition("/")
        if finding.code != CHECKSUM_DIFFERS or folder not in ("", "offsets", "commits"):
            continue
        checksum = hadoop_checksum_of(leaf)
        if checksum in found.tree.names(folder):
            names.append(f"{folder}/{checksum}" if folder else checksum)
    return tuple(sorted(set(names)))


def lacks_id(checkpoint: Checkpoint) -> bool:
    """Whether a query ran here, and `metadata` is gone or torn."""
    ran = bool(checkpoint.offsets.ids or checkpoint.commits.ids)
    return ran and (isinstance(checkpoint.query_id, Absent) or is_torn(checkpoint.query_id))


def has_state_ids(found: Survey) -> bool:
    """Whether state files carry ids (state format 2), which only commits tell apart."""
    return any(
        parts is not None and parts[1] is not None
        for directory in found.tree.below("state")
        for parts in map(split_state_name, directory.names)
    )


def _orphans(found: Survey) -> Iterator[str]:
    for folder in ("", "offsets", "commits"):
        names = set(found.tree.names(folder))
        for name in sorted(names):
            target = checksum_target(name) if name.startswith(".") else None
            if target is None or target in names or is_temporary(target):
                continue
            if folder or target == METADATA:
                yield f"{folder}/{name}" if folder else name
