"""What was found at a checkpoint and around it, and what our records remember: plain values."""

from dataclasses import dataclass
from typing import Literal

from holdfast.core.fact import Absent, Fact, Known
from holdfast.core.parts import METADATA
from holdfast.core.running.run import Identity, RunStart

DataLog = Literal["_spark_metadata", "_delta_log"]
"""What makes a folder a table: the log of Spark's file sink, or that of Delta."""

DATA_LOGS: tuple[DataLog, ...] = ("_spark_metadata", "_delta_log")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What lies at the location of a checkpoint, from a few names and one small file."""

    exists: bool
    query_id: Fact[str]
    planned: int | None = None
    """The newest batch in offsets/, None where there is none."""
    committed: int | None = None
    has_state: bool = False
    """Whether there is a folder state/ or sources/."""
    data_logs: tuple[DataLog, ...] = ()
    checkpoints_inside: tuple[str, ...] = ()
    """Names, relative to the checkpoint, of what is a checkpoint by itself or a folder of ours."""

    @property
    def has_batches(self) -> bool:
        """Whether a batch was ever planned or committed here."""
        return self.planned is not None or self.committed is not None

    @property
    def is_empty(self) -> bool:
        """Whether Spark would begin from nothing here."""
        return not self.has_batches and not self.has_state and isinstance(self.query_id, Absent)


NOTHING = Found(exists=False, query_id=Absent(METADATA))
"""No folder, or nothing in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Above:
    """A folder above the checkpoint that is more than a folder."""

    location: str
    is_checkpoint: bool
    data_logs: tuple[DataLog, ...]
    below: str
    """Name of the first folder on the way from there to the checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A record of another checkpoint beside the one that is to start."""

    folder: str
    """Name of the checkpoint that the record is of."""
    identity: Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What our records say of this checkpoint."""

    identity: Fact[Identity]
    newest_start: RunStart | None = None
    ended_query_id: str | None = None
    """Query id that the newest run with one noted when it ended."""
    last_batch: int | None = None
    """The newest batch that surely was finished: sealed, or counted at the end of a run."""
    is_elsewhere: bool = False
    """Whether identity.json names another place than the one that is to be used now."""
    open_operation: str | None = None
    """An operation in the journal that stopped half-way."""
    still_at_old_place: bool | None = None
    """Whether a checkpoint with this id still lies at that other place; None: could not look."""

    @property
    def query_id(self) -> str | None:
        """The query that this checkpoint belongs to, as far as we know."""
        if isinstance(self.identity, Known):
            return self.identity.value.query_id
        return self.ended_query_id

    @property
    def job(self) -> str | None:
        """The job that last used this checkpoint."""
        if isinstance(self.identity, Known):
            return self.identity.value.job
        return self.newest_start.job if self.newest_start is not None else None
