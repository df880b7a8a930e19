"""Topics of a Kafka sink: the one that rows go to, and the ledger beside it."""

import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from holdfast.adapters.sinks.kafka.client import KafkaClient, code_of, deadline, is_over
from holdfast.adapters.sinks.kafka.options import KafkaSinkOptions
from holdfast.errors import RefusedError, UnreachableError, UsageError

LEDGER_SETTINGS = {
    "cleanup.policy": "compact",
    # Compaction leaves the newest segment alone: small ones, so that a start reads little.
    "segment.bytes": str(4 * 1024 * 1024),
    "segment.ms": str(24 * 3600 * 1000),
}
_POLICY = "cleanup.policy"
_BROKERS_DEFAULT = -1
_PAUSE_S = 0.1
_NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"
"""Sixteen zero bytes: what a broker without topic ids gives (before 2.8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic that exists."""

    name: str
    partitions: int
    topic_id: str


class KafkaTopics:
    """Looks at topics and makes them."""

    def __init__(self, client: KafkaClient, options: KafkaSinkOptions) -> None:
        """Nothing is opened yet."""
        self._client = client
        self._options = options

    def prepare(self) -> str:
        """Make topic and ledger ready; the id of the topic, empty where rows name theirs.

        Raises UsageError where one does not exist and may not be created, RefusedError where the
        ledger would forget.
        """
        admin = self._client.admin()
        ledger = self._there(admin, self._options.ledger_topic, self._ledger_made())
        self._check_ledger(admin, ledger)
        if self._options.topic is None:
            return ""
        made = NewTopic(
            self._options.topic,
            num_partitions=self._options.partitions or _BROKERS_DEFAULT,
            replication_factor=self._options.replication or _BROKERS_DEFAULT,
        )
        return self._there(admin, self._options.topic, made).topic_id

    def find(self, name: str) -> Topic | None:
        """A topic, None where it does not exist."""
        return self._find(self._client.admin(), name)

    def make(self, name: str, partitions: int) -> None:
        """Create an empty topic; for trials."""
        replication = self._options.replication or _BROKERS_DEFAULT
        made = NewTopic(name, num_partitions=partitions, replication_factor=replication)
        self._make(self._client.admin(), made)

    def remove(self, *names: str) -> None:
        """Delete topics that `make` made or a trial has; nothing where they are not there."""
        admin = self._client.admin()
        with self._client.asking("deleting a topic"):
            for future in admin.delete_topics(list(names)).values():
                try:
                    future.result(self._client.wait_s)
                except KafkaException as error:
                    if code_of(error) != KafkaError.UNKNOWN_TOPIC_OR_PART:
                        raise

    def _ledger_made(self) -> NewTopic:
        return NewTopic(
            self._options.ledger_topic,
            num_partitions=1,
            replication_factor=self._options.replication or _BROKERS_DEFAULT,
            config=dict(LEDGER_SETTINGS),
        )

    def _there(self, admin: AdminClient, name: str, made: NewTopic) -> Topic:
        found = self._find(admin, name)
        if found is not None:
            return found
        if not self._options.create:
            what = "ledger" if name == self._options.ledger_topic else "topic"
            policy = " with cleanup.policy=compact" if what == "ledger" else ""
            raise UsageError(
                f"kafka sink: there is no {what} {name!r}",
                subject=self._options.servers,
                next_action=f"create it{policy}, or add create: true to the sink",
            )
        self._make(admin, made)
        until = deadline(self._client.wait_s)
        while (found := self._find(admin, name)) is None:
            if is_over(until):
                raise UnreachableError(
                    f"Kafka: topic {name!r} was created and does not appear",
                    subject=self._options.servers,
                    next_action="check that the brokers answer",
                )
            time.sleep(_PAUSE_S)
        return found

    def _find(self, admin: AdminClient, name: str) -> Topic | None:
        with self._client.asking(f"looking for topic {name!r}"):
            asked = admin.describe_topics(
                TopicCollection([name]), request_timeout=self._client.wait_s
            )
            try:
                found = self._answer(asked[name])
            except KafkaException as error:
                if code_of(error) in (
                    KafkaError.UNKNOWN_TOPIC_OR_PART,
                    KafkaError.LEADER_NOT_AVAILABLE,
                ):
                    return None
                raise
        told = str(found.topic_id or "")
        return Topic(
            name=name,
            partitions=len(found.partitions),
            topic_id="" if told.startswith(_NO_ID) else told,
        )

    def _make(self, admin: AdminClient, made: NewTopic) -> None:
        with self._client.asking(f"creating topic {made.topic!r}"):
            try:
                self._answer(admin.create_topics([made])[made.topic])
            except KafkaException as error:
                if code_of(error) != KafkaError.TOPIC_ALREADY_EXISTS:
                    raise

    def _check_ledger(self, admin: AdminClient, ledger: Topic) -> None:
        resource = ConfigResource(ResourceType.TOPIC, ledger.name)
        with self._client.asking(f"looking at the settings of topic {ledger.name!r}"):
            settings = self._answer(admin.describe_configs([resource])[resource])
        policy = settings[_POLICY].value if _POLICY in settings else ""
        if policy != "compact":
            raise RefusedError(
                f"the ledger {ledger.name!r} has {_POLICY}={policy}: it would forget which batches "
                "are there",
                subject=self._options.servers,
                next_action=f"set {_POLICY}=compact for it, or name another topic with ledger",
            )

    def _answer(self, future: "Future[Any]") -> Any:
        try:
            return future.result(self._client.wait_s + 5)
        except TimeoutError:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT)) from None
