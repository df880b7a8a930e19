"""Protocols of running jobs; apart from ports.py, so that reading need not load them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from holdfast.core.job import Job
from holdfast.core.running.batch import Batch
from holdfast.core.running.failure import Failure
from holdfast.core.running.state_shape import StateShape


class Records(Protocol):
    """Holdfast's own records of one checkpoint: small files beside it, never inside.

    They lie in `<parent>/_holdfast/<name>/`. Names are relative, separated by `/`.
    """

    @property
    def location(self) -> str:
        """The URI of the folder, without credentials."""
        ...

    def create(self, name: str, data: bytes) -> bool:
        """Create a file exclusively; False where the name is taken, and nothing has changed then.

        Of many that try at once, on any number of machines, exactly one gets True. When it returns
        True the file is whole and durable. Raises UnreachableError where it cannot be told.
        """
        ...

    def replace(self, name: str, data: bytes) -> None:
        """Write a file whole in place of what was there; a reader sees the old or the new."""
        ...

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, None where there is none."""
        ...

    def names(self, folder: str) -> Sequence[str]:
        """Names of the files directly inside a folder, sorted; empty where it does not exist."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file of ours that is past its bound; nothing where it is not there.

        Only for progress and seals, which are bounded in size. Nothing else is ever removed.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeSink:
    """A sink that the engine itself writes: what is handed to its writer."""

    format: str
    path: str | None
    options: Mapping[str, str]
    partition_by: tuple[str, ...] = ()


class OpenSink(Protocol):
    """What an entry point of the group `holdfast.sinks` names, ours and other people's alike."""

    def __call__(self, options: Mapping[str, Any]) -> "NativeSink | BatchSink":
        """A sink from the options of its declaration; raises UsageError that names the wrong one.

        Touches nothing outside yet.
        """
        ...


class BatchSink(Protocol):
    """A sink with a ledger: rows and the mark of their batch become visible in one atomic act."""

    @property
    def name(self) -> str:
        """What the ledger knows this sink by; Batch.sink must be it."""
        ...

    def open(self, query_id: str, epoch: int) -> None:
        """Make ledger and target ready and raise the fence to this epoch.

        From then on a writer with a lower epoch is refused inside its own transaction.
        """
        ...

    def last_batch(self, query_id: str) -> int | None:
        """The newest batch of this query that the sink holds, None where it holds none."""
        ...

    def write(self, batch: Batch) -> bool:
        """Write a batch and its mark; False where the ledger holds it already.

        Raises FencedError where a higher epoch has been seen.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTarget:
    """A target of its own for one trial of an audit: empty, and never that of production."""

    options: Mapping[str, Any]
    """Options of the sink that take the place of the declared ones."""
    root: str | None
    """The file or folder of this machine that holds it; None where it lies on a server."""
    read: str
    """Who reads it, as `holdfast audit --read` spells it."""
    servers: Mapping[str, str] = field(default_factory=dict)
    """Options of the sink that hold the address of a server (a URL, or HOST:PORT), each with what
    is spoken there: postgres, mysql, mariadb, kafka, http or tcp. The audit puts the address of its
    proxy into them, and kills between the messages. `read` must not go through it."""


class TrialSink(BatchSink, Protocol):
    """A sink that an audit can copy. Sinks without this are audited as programs."""

    def trial(self, folder: str, run: str) -> TrialTarget:
        """Make a target for a trial, of the shape of the declared one where that one exists.

        `folder` is empty and goes away with the trial; `run` is a short name of letters, digits
        and `_` that no other trial has or had. Called before the first start of the trial.
        """
        ...

    def end_trial(self, run: str) -> None:
        """Remove what `trial` made outside the folder; nothing where that was nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What ties the batches of a query to the lease of its checkpoint."""

    checkpoint: str
    epoch: int
    check: Callable[[], None]
    """Asks whether the epoch is still the highest; called before every commit of a ledger."""


class BoundSink(BatchSink, Protocol):
    """A sink whose target cannot keep a ledger or a fence: it is told of checkpoint and lease."""

    def bind(self, binding: Binding) -> None:
        """Called before `open`, with the lease under which the batches that follow are written."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFacts:
    """What the engine knows of a query that it has started."""

    sources: tuple[str, ...]
    """Providers of the streaming sources, in the order of the plan."""
    stateful: tuple[str, ...]
    unrepeatable: tuple[str, ...]
    """Expressions that give other values when they are evaluated again."""
    settings: Mapping[str, str]
    """Values of the session, for the names that were asked for."""
    versions: Mapping[str, str]
    source_options: tuple[Mapping[str, str], ...] = ()
    """Options of each source as the plan has them, secrets and all; () where it was not asked."""
    shapes: tuple[StateShape, ...] = ()
    """What each stateful operator keeps, in the order of `stateful` without watermarks."""


class Query(Protocol):
    """A started streaming query. EngineLostError is raised where the engine itself has died."""

    @property
    def id(self) -> str:
        """The id in the checkpoint's `metadata`."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait for its end, at most so long; True where it has ended, well or not."""
        ...

    def is_busy(self) -> bool:
        """Whether a batch is running right now."""
        ...

    def stop(self) -> None:
        """End it; a batch that runs is given up, which harms nothing."""
        ...

    def failure(self) -> Failure | None:
        """Why it ended, None where it ended well or still runs."""
        ...

    def fresh(self) -> Sequence[Mapping[str, Any]]:
        """Progress since the last call, in the order of the batches, by Spark's field names."""
        ...

    def facts(self, settings: Sequence[str]) -> PlanFacts:
        """What its plan is made of."""
        ...


class Engine(Protocol):
    """What runs queries: one Spark session."""

    @property
    def version(self) -> str:
        """Of Spark."""
        ...

    @property
    def pid(self) -> int | None:
        """The process that runs the queries, where it is another one on this machine."""
        ...

    def start(self, job: Job, *, once: bool, binding: Binding) -> Query:
        """Start one job. Raises UsageError where source, transform or sink do not fit."""
        ...

    def close(self) -> None:
        """End the session and every query in it."""
        ...
