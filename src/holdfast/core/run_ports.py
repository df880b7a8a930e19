"""Protocols of running jobs; apart from ports.py, so that reading need not load them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.core.batch import Batch
from holdfast.core.job import Job


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


class Query(Protocol):
    """A started streaming query."""

    @property
    def id(self) -> str:
        """The id in the checkpoint's `metadata`."""
        ...

    def is_active(self) -> bool:
        """Whether it still runs; once False, never True again."""
        ...

    def is_busy(self) -> bool:
        """Whether a batch is running right now."""
        ...

    def stop(self) -> None:
        """End it; a batch that runs is given up, which harms nothing."""
        ...

    def failure(self) -> str | None:
        """Why it ended, None where it ended well or still runs."""
        ...

    def progress(self) -> Sequence[Mapping[str, Any]]:
        """The newest progress events in the order of their batches, by Spark's own field names."""
        ...


class Engine(Protocol):
    """What runs queries: one Spark session."""

    @property
    def master(self) -> str:
        """Where it runs, such as local[*]."""
        ...

    def start(self, job: Job, *, once: bool, epoch: int, check: Callable[[], None]) -> Query:
        """Start one job. `check` is called before every commit of a sink with a ledger.

        Raises UsageError where source, transform or sink do not fit.
        """
        ...

    def close(self) -> None:
        """End the session and every query in it."""
        ...
