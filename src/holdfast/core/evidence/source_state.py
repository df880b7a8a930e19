"""What a source still has, held against the position from which a restart would read on."""

from dataclasses import dataclass, field
from typing import Literal

from holdfast.core.fact import Absent, Fact, Known, Unreadable

SourceKind = Literal["kafka", "delta", "files", "iceberg", "rate", "other"]
Counts = Literal["records", "versions", "snapshots", "files"]
Sameness = Literal["same", "other", "unknown"]
Unclocked = Literal["nothing-unread", "already-gone", "kept-for-ever", "unknown"]
"""Why there is no time left to tell: nothing is unread, it is gone, it stays, or nobody knows."""

SOON = 4
"""Retention is near once less than one part in so many of it is left."""

NAMES_MAX = 100
"""Files that are named; how many there are in all is counted beside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartState:
    """A part of a source with a position of its own: a partition, or all of it under the name ''.

    Positions are those of the source: offsets of Kafka, versions of Delta, sequence numbers of
    Iceberg, entries in the log of a file source.
    """

    name: str
    stored: int | None
    """The next to be read; None where the checkpoint has none, as for a partition that is new."""
    earliest: int | None = None
    """The first that is still there."""
    latest: int | None = None
    """The one after the last: the end."""
    stored_is_readable: bool | None = None
    """Whether all from the stored position to the end is there; None where nobody can say."""
    stored_at_ms: int | None = None
    """When the first unread record was written, by its own timestamp."""
    oldest_at_ms: int | None = None
    """The same of the oldest record that is still there."""
    retention_ms: int | None = None
    """How long records stay; None where it is not known, -1 where time removes nothing."""
    counted_from_ms: int | None = None
    """From when retention counts for what is unread."""
    lag: int | None = None
    """How much is still to be read, in what the source counts."""
    lag_records: int | None = None
    """The same in records, where that can be told without reading them."""

    @property
    def lost(self) -> int | None:
        """How much of what was unread is gone; None where that cannot be told.

        A partition that is new is read from its beginning, so what it no longer has is lost too.
        """
        if self.earliest is None or (self.stored is None and not self.name):
            return None
        return max(0, self.earliest - (self.stored or 0))

    @property
    def is_past_end(self) -> bool:
        """Whether the position lies behind the end: this is not what was read before."""
        return self.latest is not None and self.stored is not None and self.stored > self.latest


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTouch:
    """When the file system last changed anything about a file."""

    path: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """One source of a query, as it answered when it was asked."""

    position: int
    """Its index in the log of offsets."""
    kind: SourceKind
    where: str
    """Without credentials; '' where nobody says where it is."""
    counts: Counts | None = None
    identity: Fact[str] = field(default=Absent("the source"))
    """What tells it from another one of the same name, as it is now."""
    stored_identity: Fact[str] = field(default=Absent("the checkpoint"))
    """The same at the time when the position was stored."""
    parts: tuple[PartState, ...] = ()
    missing: tuple[str, ...] = ()
    """Input files that are gone, at most NAMES_MAX."""
    missing_count: int = 0
    altered: tuple[str, ...] = ()
    """Input files that were changed since they were planned, at most NAMES_MAX."""
    altered_count: int = 0
    needed_count: int = 0
    """How many of the missing and altered ones a restart will read."""
    checked_count: int = 0
    touched: tuple[FileTouch, ...] = ()
    """Files of the batch in flight by when they were last touched, the latest first, at most
    NAMES_MAX; only where the file system tells. Their time of last write is as it was planned."""
    notes: tuple[str, ...] = ()
    """What was not looked at, and what the figures do not say."""
    problem: Unreadable | None = None
    """Why it could not be asked; all else is then what is known without asking."""


def lag_total(state: SourceState) -> int | None:
    """How much is still to be read from all parts; None where one of them does not tell."""
    return _total([part.lag for part in state.parts])


def lag_records_total(state: SourceState) -> int | None:
    """The same in records."""
    return _total([part.lag_records for part in state.parts])


def time_left(part: PartState, now_ms: int) -> int | Unclocked:
    """Milliseconds until retention may remove what is unread, at the earliest; or why none.

    It can be negative: retention is over, and the source has not tidied up yet.
    """
    if part.stored_is_readable is False:
        return "already-gone"
    if part.lag == 0:
        return "nothing-unread"
    if part.retention_ms is None:
        return "unknown"
    if part.retention_ms < 0:
        return "kept-for-ever"
    if part.counted_from_ms is None:
        return "unknown"
    return part.counted_from_ms + part.retention_ms - now_ms


def is_near(part: PartState, now_ms: int) -> bool:
    """Whether retention will soon remove what is unread."""
    left = time_left(part, now_ms)
    return isinstance(left, int) and left * SOON < (part.retention_ms or 0)


def time_behind(part: PartState, now_ms: int) -> int | None:
    """How old the first record is that can be read; 0: all is read, None: unknown."""
    if part.lag == 0:
        return 0
    first_ms = part.oldest_at_ms if part.stored_at_ms is None else part.stored_at_ms
    return None if first_ms is None else max(0, now_ms - first_ms)


def sameness(state: SourceState) -> Sameness:
    """Whether it is the source that the position was stored for.

    Kafka: each topic by its id; a topic that only one side knows says nothing about the other.
    """
    now, before = state.identity, state.stored_identity
    if not isinstance(now, Known) or not isinstance(before, Known):
        return "unknown"
    if state.kind != "kafka":
        return "same" if now.value == before.value else "other"
    if exchanged_topics(state):
        return "other"
    ids, asked = topic_ids(before.value), {part.name.rpartition("/")[0] for part in state.parts}
    return "same" if asked and asked <= ids.keys() & topic_ids(now.value).keys() else "unknown"


def exchanged_topics(state: SourceState) -> tuple[str, ...]:
    """Topics with another id than when the position was stored."""
    now, before = state.identity, state.stored_identity
    if state.kind != "kafka" or not isinstance(now, Known) or not isinstance(before, Known):
        return ()
    ids = topic_ids(now.value)
    remembered = topic_ids(before.value)
    return tuple(name for name in sorted(ids) if remembered.get(name, ids[name]) != ids[name])


def topics_text(ids: dict[str, str]) -> str:
    """Topics with their ids as one text, the same for the same topics."""
    return ",".join(f"{name}={ids[name]}" for name in sorted(ids))


def topic_ids(text: str) -> dict[str, str]:
    """The topics of such a text; neither a name nor an id can hold `,` or `=`."""
    pairs = (pair.partition("=") for pair in text.split(",") if "=" in pair)
    return {name: topic_id for name, _, topic_id in pairs}


def _total(amounts: list[int | None]) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known and len(known) == len(amounts) else None
