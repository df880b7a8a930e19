"""What a Kafka source still has: ends of its partitions, ids of its topics, and retention."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ConfigResource,
    OffsetSpec,
    ResourceType,
)

from holdfast.adapters.sinks.kafka.client import KafkaClient, code_of
from holdfast.adapters.sinks.kafka.options import KafkaSinkOptions
from holdfast.adapters.sources.kafka_place import WAIT_S, KafkaPlace
from holdfast.adapters.sources.kafka_times import first_times
from holdfast.core.evidence.source_state import PartState, topics_text
from holdfast.errors import MalformedError

Offsets = Mapping[str, Mapping[str, int]]
"""Next offset by topic and partition, as the log of offsets has it."""

Part = tuple[str, int]

_ABSENT = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)
_NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"
"""Sixteen zero bytes: what a broker without topic ids gives (before 2.8)."""
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
"""What a topic can be called (org.apache.kafka.common.internals.Topic)."""
_RETENTION, _POLICY, _BYTES = "retention.ms", "cleanup.policy", "retention.bytes"
_NEVER = -1
_GRACE_S = 1.0
"""Beyond the client's own time-out, after which a future gives no answer any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTopic:
    """A topic as it is now."""

    topic_id: str
    """'' where the broker has no ids."""
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaAnswer:
    """All that a cluster said about the topics of one source."""

    identity: str
    parts: tuple[PartState, ...]
    notes: tuple[str, ...]


class KafkaProbe:
    """Asks one cluster; every question is bounded in time. Raises HoldfastError."""

    def __init__(self, place: KafkaPlace) -> None:
        """Nothing is opened yet."""
        # The client is that of the sink, which must be told of a ledger; none is touched here.
        options = KafkaSinkOptions(
            servers=place.servers, ledger="none", wait_seconds=WAIT_S, options=place.settings
        )
        self._place = place
        self.client = KafkaClient(options)

    def identity(self) -> str:
        """Topics with their ids; '' where none is there. One request."""
        found = self.topics(self.client.admin(), self._place.topics)
        return topics_text({name: t.topic_id for name, t in found.items() if t.topic_id})

    def ask(self, stored: Offsets) -> KafkaAnswer:
        """Hold stored positions against the cluster."""
        admin = self.client.admin()
        names = tuple(sorted({*stored, *self._place.topics}))
        topics = self.topics(admin, names)
        there = [(name, number) for name, topic in topics.items() for number in topic.partitions]
        earliest = self._ends(admin, there, OffsetSpec.earliest())  # type: ignore[no-untyped-call]
        latest = self._ends(admin, there, OffsetSpec.latest())  # type: ignore[no-untyped-call]
        positions: dict[Part, int | None] = dict.fromkeys(there)
        for topic, offsets in stored.items():
            positions.update({(topic, int(number)): at for number, at in offsets.items()})
        parts = {
            part: _part(part, at, earliest.get(part), latest.get(part))
            for part, at in positions.items()
        }
        times, time_notes = first_times(self.client, _starts(parts))
        retention, notes = self._retention(admin, tuple(topics))
        return KafkaAnswer(
            identity=topics_text({name: t.topic_id for name, t in topics.items() if t.topic_id}),
            parts=tuple(
                _timed(parts[part], times.get(part), retention.get(part[0]))
                for part in sorted(parts)
            ),
            notes=(*_about_parts(names, topics, parts), *notes, *time_notes),
        )

    def topics(self, admin: AdminClient, names: Sequence[str]) -> dict[str, FoundTopic]:
        """Topics that are there, by name; one request."""
        if not names:
            return {}
        if not all(map(_TOPIC.fullmatch, names)):
            raise MalformedError("the position names a topic that none can be called")
        found = {}
        with self.client.asking("looking for topics"):
            asked = admin.describe_topics(
                TopicCollection(list(names)), request_timeout=self.client.wait_s
            )
            for name in names:
                try:
                    told = self._answer(asked[name])
                except KafkaException as error:
                    if code_of(error) in _ABSENT:
                        continue
                    raise
                topic_id = str(told.topic_id or "")
                found[name] = FoundTopic(
                    topic_id="" if topic_id.startswith(_NO_ID) else topic_id,
                    partitions=tuple(sorted(each.id for each in told.partitions)),
                )
        return found

    def _ends(self, admin: AdminClient, parts: list[Part], spec: OffsetSpec) -> dict[Part, int]:
        if not parts:
            return {}
        with self.client.asking("asking for the ends of partitions"):
            asked = admin.list_offsets(
                {TopicPartition(topic, number): spec for topic, number in parts},
                request_timeout=self.client.wait_s,
            )
            return {
                (place.topic, place.partition): int(self._answer(future).offset)
                for place, future in asked.items()
            }

    def _retention(
        self, admin: AdminClient, topics: tuple[str, ...]
    ) -> tuple[dict[str, int], list[str]]:
        """Milliseconds by topic, and what else removes records; a refusal is no failure."""
        found: dict[str, int] = {}
        notes: list[str] = []
        if not topics:
            return found, notes
        resources = [ConfigResource(ResourceType.TOPIC, name) for name in topics]
        asked = admin.describe_configs(resources, request_timeout=self.client.wait_s)
        for resource, future in asked.items():
            try:
                settings = {name: entry.value for name, entry in self._answer(future).items()}
            except KafkaException as error:
                said = error.args[0].str()
                notes.append(f"retention of topic {resource.name} is not known: {said}")
                continue
            deletes = "delete" in (settings.get(_POLICY) or "delete")
            found[resource.name] = int(settings.get(_RETENTION) or _NEVER) if deletes else _NEVER
            if deletes and int(settings.get(_BYTES) or _NEVER) >= 0:
                notes.append(
                    f"topic {resource.name} also removes by size ({_BYTES}={settings[_BYTES]}), "
                    "which may come sooner than the time says"
                )
            if "compact" in (settings.get(_POLICY) or ""):
                notes.append(f"topic {resource.name} is compacted: fewer records come than offsets")
        return found, notes

    def _answer(self, future: "Future[Any]") -> Any:
        try:
            return future.result(self.client.wait_s + _GRACE_S)
        except TimeoutError:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT)) from None


def _part(part: Part, stored: int | None, earliest: int | None, latest: int | None) -> PartState:
    name = f"{part[0]}/{part[1]}"
    if earliest is None or latest is None:
        return PartState(name=name, stored=stored, stored_is_readable=False)
    # A partition that is new is read from 0: what it no longer has at its beginning is lost.
    begin = stored or 0
    lag = max(0, latest - max(begin, earliest))
    return PartState(
        name=name,
        stored=stored,
        earliest=earliest,
        latest=latest,
        stored_is_readable=earliest <= begin <= latest,
        lag=lag,
        lag_records=lag,
    )


def _starts(parts: Mapping[Part, PartState]) -> dict[Part, int]:
    """Where the first unread record of each partition is that has one."""
    return {
        part: max(state.stored or 0, state.earliest)
        for part, state in parts.items()
        if state.lag and state.earliest is not None
    }


def _timed(state: PartState, first_ms: int | None, retention_ms: int | None) -> PartState:
    """With the time of its first unread record, and the time that records stay."""
    begin, earliest = state.stored or 0, state.earliest or 0
    return replace(
        state,
        # Where the position is gone, the first record that can be read is the oldest one.
        stored_at_ms=first_ms if begin >= earliest else None,
        oldest_at_ms=first_ms if begin <= earliest else None,
        retention_ms=retention_ms,
        counted_from_ms=first_ms,
    )


def _about_parts(
    names: Sequence[str], topics: Mapping[str, FoundTopic], parts: Mapping[Part, PartState]
) -> list[str]:
    notes = [f"there is no topic {name}" for name in names if name not in topics]
    new = [state.name for state in parts.values() if state.stored is None]
    gone = [
        state.name
        for (topic, _), state in parts.items()
        if state.earliest is None and topic in topics
    ]
    if new:
        notes.append(f"partitions without a position, read from their beginning: {_few(new)}")
    if gone:
        notes.append(f"partitions that the topic no longer has: {_few(gone)}")
    return notes


def _few(names: list[str]) -> str:
    return ", ".join(sorted(names)[:5]) + (" …" if len(names) > 5 else "")
