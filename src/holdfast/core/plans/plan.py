"""A plan: steps in order, what must still hold, and what becomes of everything around."""

from dataclasses import dataclass
from typing import Literal, get_args

from holdfast.core.plans.requirement import Requirement
from holdfast.core.plans.step import Copy, Create, PutAside, RestoreTable, Step

FORMAT = 1
SCHEMA = "holdfast/plan/1"

OperationName = Literal[
    "resume", "replay", "backfill", "reset", "skip", "retry",
    "move", "clone", "backup", "restore", "retire", "rescale",
]  # fmt: skip
OPERATIONS: tuple[OperationName, ...] = get_args(OperationName)


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement:
    """One position of one source, before and after."""

    source: str
    label: str
    """Topic and partition, or '' for a source that has one position."""
    before: str | None
    after: str | None
    amount: int | None
    """How much is to do again (above zero) or will be passed over (below zero)."""
    unit: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkFate:
    """What becomes of what a sink holds."""

    sink: str
    says: str
    removed: int | None = None
    kept: int | None = None
    duplicated: int | None = None
    skipped: int | None = None
    """Rows, where they can be counted; None where not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hazard:
    """What is unsafe about an operation; it is planned only where somebody accepts it by name."""

    code: str
    message: str
    rows: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaves:
    """What the checkpoint is after the operation; the guards of a start hold it against that."""

    location: str
    query_id: str | None
    last_batch: int | None
    """The newest batch that counts as finished; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All of it. Two plans with the same content have the same id."""

    operation: OperationName
    target: str
    """Where the checkpoint is, without credentials."""
    job: str | None
    query_id: str | None
    made_at_ms: int
    made_by: str
    """The version of Holdfast."""
    steps: tuple[Step, ...]
    requirements: tuple[Requirement, ...]
    leaves: Leaves
    movements: tuple[Movement, ...] = ()
    sinks: tuple[SinkFate, ...] = ()
    downstream: tuple[str, ...] = ()
    """Jobs that read what this one writes."""
    untouched: tuple[str, ...] = ()
    accepted: tuple[Hazard, ...] = ()
    notes: tuple[str, ...] = ()
    next_command: str = ""
    format: int = FORMAT

    @property
    def files(self) -> int:
        """Files that are moved, copied or written."""
        return sum(_files(step) for step in self.steps)

    @property
    def size_bytes(self) -> int:
        """Their bytes."""
        return sum(_bytes(step) for step in self.steps)


def _files(step: Step) -> int:
    match step:
        case PutAside() | Copy():
            return len(step.files)
        case Create():
            return 1
        case RestoreTable():
            return 0


def _bytes(step: Step) -> int:
    match step:
        case PutAside() | Copy():
            return sum(mark.size_bytes for mark in step.files)
        case Create():
            return len(step.data)
        case RestoreTable():
            return 0
