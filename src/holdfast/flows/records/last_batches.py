"""Which batches a checkpoint holds, by the names in its two logs alone: two listings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.adapters.storage.opening import open_storage
from holdfast.core.formats.log_name import split_batch_ids
from holdfast.core.microbatch import Traces, in_flight
from holdfast.core.ports import Storage
from holdfast.errors import HoldfastError, UnreachableError


@dataclass(frozen=True, slots=True, kw_only=True)
class LastBatches:
    """The newest batches of a checkpoint."""

    planned: int | None = None
    committed: int | None = None
    committed_at_ms: Mapping[int, int] = field(default_factory=dict)
    """When the newest commits were written, by batch, as the storage says."""
    is_there: bool = False
    problem: str = ""
    """Why it could not be looked at, empty where it could."""

    @property
    def in_flight(self) -> int | None:
        """The newest planned batch, while it has no commit."""
        return in_flight(Traces(planned=self.planned, committed=self.committed))


def last_batches(location: str, *, limit: int = 1) -> LastBatches:
    """Look at both logs; the times of at most `limit` commits. Never raises: it says why not."""
    try:
        storage = open_storage(location)
        planned, _ = _ids(storage, "offsets")
        committed, commits = _ids(storage, "commits")
    except HoldfastError as error:
        absent = isinstance(error, UnreachableError) and _is_absence(error)
        return LastBatches(problem="" if absent else error.message)
    stats = commits.stat([str(batch) for batch in committed[-limit:]])
    return LastBatches(
        planned=planned[-1] if planned else None,
        committed=committed[-1] if committed else None,
        committed_at_ms={int(name): stat.modified_ms for name, stat in stats.items()},
        is_there=bool(planned or committed),
    )


def _ids(storage: Storage, log: str) -> tuple[list[int], Storage]:
    folder = storage.at(log)
    try:
        names = folder.entries().files
    except UnreachableError as error:
        if not _is_absence(error):
            raise
        names = ()
    ids, _ = split_batch_ids(names)
    return list(ids), folder


def _is_absence(error: UnreachableError) -> bool:
    """Whether there is nothing, and not only no answer."""
    return error.__cause__ is None or isinstance(error.__cause__, FileNotFoundError)
