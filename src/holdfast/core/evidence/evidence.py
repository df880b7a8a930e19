"""Everything that is known of a checkpoint and of what is around it, as one frozen value."""

from dataclasses import dataclass

from holdfast.core.evidence.around import (
    NOT_LOOKED_AT,
    PLAIN_START,
    Holder,
    Intent,
    Query,
    Remembered,
    Seen,
)
from holdfast.core.evidence.logs import Commit, FileLog, LogRange, Plan
from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.evidence.source_state import SourceState
from holdfast.core.evidence.state import Operator
from holdfast.core.fact import Fact, Known

SCHEMA = "holdfast/evidence/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One look at everything that decides about a restart."""

    location: str
    taken_at_ms: int
    query_id: Fact[str]
    offsets: LogRange
    commits: LogRange
    plan: Fact[Plan]
    previous_plan: Fact[Plan]
    commit: Fact[Commit]
    in_flight: int | None
    restart_kind: str
    """fresh, next, rerun, rerun-then-fail or refused (core/microbatch.py)."""
    restart_batch: int | None
    restart_text: str
    death: str | None
    operators: tuple[Operator, ...]
    seen: tuple[Seen, ...]
    files: int
    size_bytes: int
    state_written: bool | None = None
    """Whether every partition wrote the state of the batch in flight; None where none is."""
    verified: int = 0
    """Files of all parts whose bytes a checksum or a seal confirms."""
    holder: Fact[Holder] = NOT_LOOKED_AT
    remembered: Fact[Remembered] = NOT_LOOKED_AT
    last_query: Fact[Query] = NOT_LOOKED_AT
    """What the query was made of when it last started under Holdfast."""
    next_query: Fact[Query] = NOT_LOOKED_AT
    """What is to be started."""
    spark: Fact[str] = NOT_LOOKED_AT
    """The version of Spark that would start it."""
    sinks: tuple[SinkMemory, ...] = ()
    sources: tuple[SourceState, ...] = ()
    file_logs: tuple[FileLog, ...] = ()
    """Of the file sources among them."""
    unverified: tuple[str, ...] = ()
    """Parts of a checkpoint on a local disk that have files without a checksum or a seal."""
    gone: tuple[str, ...] = ()
    """Files beside the logs that something says should be there, and are not."""
    said_stateless: bool = False
    """Whether somebody says that the query keeps no state."""
    intent: Intent = PLAIN_START

    @property
    def is_stateful(self) -> bool:
        """Whether any stateful operator ever wrote here."""
        return bool(self.operators)

    @property
    def has_batches(self) -> bool:
        """Whether a batch was ever planned or committed."""
        return self.offsets.count > 0 or self.commits.count > 0

    @property
    def done_through(self) -> int | None:
        """The newest batch that a restart takes as done: populateStartOffsets looks no further."""
        planned = self.offsets.newest
        done = max(
            self.commits.newest if self.commits.newest is not None else -1,
            planned - 1 if planned is not None else -1,
        )
        return done if done >= 0 else None

    @property
    def state_format(self) -> int | None:
        """1 or 2; None where nothing tells."""
        if not self.operators:
            return None
        if isinstance(self.commit, Known):
            return 2 if self.commit.value.has_state_ids else 1
        return None

    def saw(self, *codes: str) -> tuple[Seen, ...]:
        """What the reading came upon, of these codes."""
        return tuple(seen for seen in self.seen if seen.code in codes)
