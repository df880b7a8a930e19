"""A checkpoint as it lies on storage: every part a frozen value, every fact with its origin."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.batch_log import BatchLog
from holdfast.core.fact import Fact, Known
from holdfast.core.finding import Finding
from holdfast.core.formats.commit_log import CommitEntry
from holdfast.core.formats.offset_log import OffsetEntry
from holdfast.core.formats.operator_metadata import OperatorMetadata
from holdfast.core.microbatch import Death, Restart
from holdfast.core.offsets.registry import SourceOffset
from holdfast.core.parts import PartCheck, PartSize
from holdfast.core.state.layout import OperatorFiles
from holdfast.core.state.loadable import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePosition:
    """One source at the end of a batch; offset is None while it has no position yet."""

    position: int
    name: str | None
    offset: SourceOffset | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorState:
    """A stateful operator: what it says of itself, what lies there, what can be loaded."""

    files: OperatorFiles
    metadata: Fact[OperatorMetadata]
    store_names: tuple[str, ...]
    partitions: int
    loadable: tuple[Range, ...]
    """Ranges of batches after which the whole state of this operator can be loaded."""

    @property
    def name(self) -> str | None:
        """The operator's physical name, None where no metadata says it (Spark before 4.0)."""
        return self.metadata.value.name if isinstance(self.metadata, Known) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Everything that one look at a checkpoint found."""

    location: str
    query_id: Fact[str]
    offsets: BatchLog
    commits: BatchLog
    plan: Fact[OffsetEntry]
    previous_plan: Fact[OffsetEntry]
    commit: Fact[CommitEntry]
    sources: tuple[SourcePosition, ...]
    operators: tuple[OperatorState, ...]
    sizes: Mapping[str, PartSize]
    checks: Mapping[str, PartCheck]
    in_flight: int | None
    death: Death | None
    restart: Restart
    committed_at_ms: int | None
    planned_at_ms: int | None
    warnings: tuple[Finding, ...]

    @property
    def file_count(self) -> int:
        """Every plain file below the checkpoint, hidden ones too."""
        return sum(part.files for part in self.sizes.values())

    @property
    def size_bytes(self) -> int:
        """Their bytes."""
        return sum(part.size_bytes for part in self.sizes.values())

    @property
    def done_through(self) -> int | None:
        """The newest batch that a restart takes as done: committed, or older than the newest plan.

        MicroBatchExecution.populateStartOffsets runs the newest plan again and nothing before it.
        """
        return done_through(self.offsets, self.commits)


def done_through(offsets: BatchLog, commits: BatchLog) -> int | None:
    """The newest batch that a restart takes as done, None where there is none."""
    newest = max(
        commits.last if commits.last is not None else -1,
        offsets.last - 1 if offsets.last is not None else -1,
    )
    return newest if newest >= 0 else None
