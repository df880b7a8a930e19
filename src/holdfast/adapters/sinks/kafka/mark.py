"""The mark of a batch in Kafka: what query, sink and batch are known by, and its bytes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Self

from holdfast.adapters.sinks.sql_types import canonical_json
from holdfast.errors import FencedError, MalformedError, NewerVersionError, RefusedError

VERSION: Final = 1
SLOTS: Final = 1_000
"""Marks kept for each query and sink: ten times the batches that Spark keeps by default. Batch N
has the key of batch N + 1,000, so that compaction keeps the last thousand and no more."""

OFFSETS_BYTES_MAX: Final = 64 * 1024
"""Offsets beyond this are kept as their digest alone; a record may have 1 MB by default."""

_FENCE: Final = "fence"


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaMark:
    """What the ledger says of a query and a sink: the highest epoch, and the last batch."""

    query_id: str
    sink: str
    epoch: int
    """The highest that has opened the sink; a lower one may not write."""
    batch_id: int | None = None
    """The last batch that is there; None where none is, and what follows says nothing then."""
    written_by: int = 0
    """The epoch that wrote it."""
    attempt: str = ""
    """Which call of write did; tells a lost answer from another writer's batch."""
    rows: int = 0
    digest: str = ""
    range_digest: str = ""
    """Of the offsets; empty where they are not known."""
    topic_id: str = ""
    """Of the topic as it was then; empty where rows name their topics or the broker has no ids."""
    written_at_ms: int | None = None

    @property
    def offset(self) -> int:
        """What stands as offset of the group: the next batch."""
        return 0 if self.batch_id is None else self.batch_id + 1

    def holds(self, batch_id: int) -> bool:
        """Whether this batch, or a later one, is there."""
        return self.batch_id is not None and self.batch_id >= batch_id

    def check_fence(self, epoch: int) -> None:
        """Raises FencedError where a higher epoch has been here."""
        if self.epoch > epoch:
            raise FencedError(
                f"epoch {self.epoch} has taken over sink {self.sink!r}; this is epoch {epoch}",
                subject=self.query_id,
                next_action="stop this query: a newer start of it is writing",
            )

    def to_text(self, offsets: Mapping[str, Any] | None = None) -> str:
        """For the ledger; without offsets also for the group, where 4096 bytes are allowed."""
        said: dict[str, Any] = {
            "holdfast": VERSION,
            "query": self.query_id,
            "sink": self.sink,
            "epoch": self.epoch,
        }
        if self.batch_id is not None:
            said |= {
                "batch": self.batch_id,
                "by": self.written_by,
                "attempt": self.attempt,
                "rows": self.rows,
                "digest": self.digest,
                "range": self.range_digest,
                "topic_id": self.topic_id,
                "at_ms": self.written_at_ms,
            }
        if offsets:
            said["offsets"] = offsets
        return json.dumps(said, ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str, where: str) -> Self:
        """Raises MalformedError or NewerVersionError where this is no mark of ours."""
        said = _parsed(text, where)
        try:
            mark = cls(
                query_id=str(said["query"]), sink=str(said["sink"]), epoch=int(said["epoch"])
            )
            if "batch" not in said:
                return mark
            return cls(
                query_id=mark.query_id,
                sink=mark.sink,
                epoch=mark.epoch,
                batch_id=int(said["batch"]),
                written_by=int(said["by"]),
                attempt=str(said["attempt"]),
                rows=int(said["rows"]),
                digest=str(said["digest"]),
                range_digest=str(said["range"]),
                topic_id=str(said["topic_id"]),
                written_at_ms=None if said["at_ms"] is None else int(said["at_ms"]),
            )
        except (KeyError, TypeError, ValueError):
            raise _malformed(where) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRecord:
    """A record of the ledger topic."""

    mark: KafkaMark
    offsets: Mapping[str, Any]
    """Empty where they were not known, or larger than what is kept."""
    is_fence: bool
    """Whether a start wrote it; the batch in it is then one that was there already."""

    @classmethod
    def from_bytes(cls, key: bytes | None, value: bytes | None, where: str) -> Self | None:
        """None for a record without a value: somebody has taken the mark back."""
        if value is None:
            return None
        try:
            text = value.decode("utf-8")
            is_fence = (key or b"").decode("utf-8").rpartition("/")[2] == _FENCE
        except UnicodeDecodeError:
            raise _malformed(where) from None
        offsets = _parsed(text, where).get("offsets", {})
        if not isinstance(offsets, Mapping):
            raise _malformed(where)
        return cls(mark=KafkaMark.from_text(text, where), offsets=offsets, is_fence=is_fence)


def client_name(query_id: str, sink: str) -> str:
    """Both the transactional id and the group: one for each query and sink, for ever."""
    return f"holdfast-{query_id}-{sink}"


def mark_key(mark: KafkaMark) -> bytes:
    """The key of a batch in the ledger."""
    assert mark.batch_id is not None
    return f"{mark.query_id}/{mark.sink}/{mark.batch_id % SLOTS}".encode()


def fence_key(mark: KafkaMark) -> bytes:
    """The key of the last start in the ledger."""
    return f"{mark.query_id}/{mark.sink}/{_FENCE}".encode()


def kept_offsets(offsets: Mapping[str, Any]) -> Mapping[str, Any]:
    """Offsets that are small enough for a record; none where they are not."""
    return offsets if len(canonical_json(offsets)) <= OFFSETS_BYTES_MAX else {}


def range_digest(offsets: Mapping[str, Any]) -> str:
    """32 hexadecimal digits for a range of offsets; empty where it is not known."""
    if not offsets:
        return ""
    return blake2b(canonical_json(offsets).encode("utf-8"), digest_size=16).hexdigest()


def check_replay(held: KafkaMark, batch_id: int, offsets: Mapping[str, Any]) -> None:
    """Raises RefusedError where the ledger holds this batch id with other offsets.

    Then it is another batch, and skipping it would lose its rows. It happens where the logs of a
    checkpoint were cut back while the topic was kept. Nothing is said where either side does not
    know its offsets.
    """
    now = range_digest(offsets)
    if held.batch_id == batch_id and held.range_digest and now and held.range_digest != now:
        raise RefusedError(
            f"sink {held.sink!r} holds batch {batch_id} with other offsets than it comes with now: "
            "it is another batch, and skipping it would lose rows",
            subject=held.query_id,
            next_action="take topic and checkpoint back together, or begin a new checkpoint",
        )


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise _malformed(where) from None
    version = said.get("holdfast") if isinstance(said, dict) else None
    if not isinstance(version, int):
        raise _malformed(where)
    if version > VERSION:
        raise NewerVersionError(
            f"a mark of version {version}; this release knows {VERSION}",
            subject=where,
            next_action="use the release that wrote it, or a newer one",
        )
    return dict(said)


def _malformed(where: str) -> MalformedError:
    return MalformedError(
        "what stands where the mark of a batch belongs is none",
        subject=where,
        next_action="find out who has reset the group or written to the ledger",
    )
