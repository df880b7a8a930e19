"""The ledger of a Kafka sink: which batches the cluster holds, and which epoch may write.

Every transaction of the sink writes the mark twice. As offset of a consumer group, on the topic's
partition 0: one question gives it, but brokers forget it (seven days after the last batch by
default, offsets.retention.minutes). And as a record of a compacted topic, which is never
forgotten. The group answers where it can; where it is silent the topic decides.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from confluent_kafka import (
    OFFSET_INVALID,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from holdfast.adapters.sinks.kafka.client import KafkaClient, deadline, is_over
from holdfast.adapters.sinks.kafka.mark import KafkaMark, LedgerRecord, client_name
from holdfast.adapters.sinks.kafka.options import KafkaSinkOptions
from holdfast.errors import MalformedError, UnreachableError

_PARTITION = 0
_READ_AT_ONCE = 1_000
_POLL_S = 0.05
_PAUSE_S = 0.1
_SETTLING_S = 3.0
"""How long `last` waits for a commit that is being carried out. A transaction that stays open so
long has not committed, and what was committed before it is the answer."""


class KafkaLedger:
    """Reads marks. They are written by the transaction of their batch."""

    def __init__(self, client: KafkaClient, options: KafkaSinkOptions) -> None:
        """Nothing is opened yet."""
        self._client = client
        self._options = options
        self._topic = options.ledger_topic

    def place(self, offset: int = OFFSET_INVALID, text: str = "") -> TopicPartition:
        """Where the group has its mark: of the topic, so that either may be lost alone."""
        topic = self._options.topic or self._topic
        return TopicPartition(topic, _PARTITION, offset, metadata=text)

    def glance(self, query_id: str) -> KafkaMark | None:
        """The mark of the group as it is committed now, whatever is under way."""
        name = client_name(query_id, self._options.name)
        with closing(self._client.consumer(name, committed_only=False)) as consumer:
            return self.group_mark(consumer)

    def standing(self, query_id: str, consumer: Consumer) -> KafkaMark | None:
        """The mark of a query; None where neither memory has one.

        The truth only for who has just initialised the producer of this query: its earlier
        transactions are over then, and the consumer, of its group, waits for their offsets.
        """
        found = self.group_mark(consumer)
        if found is not None:
            return found
        return self._newest(query_id, self._client.wait_s + self._options.transaction_seconds)

    def last(self, query_id: str) -> KafkaMark | None:
        """The mark of a query as readers see it, without being its writer."""
        name = client_name(query_id, self._options.name)
        with closing(self._client.consumer(name)) as consumer:
            try:
                found = self.group_mark(consumer, _SETTLING_S)
            except UnreachableError:
                found = self.glance(query_id)
        return found if found is not None else self._newest(query_id, _SETTLING_S)

    def group_mark(self, consumer: Consumer, wait_s: float | None = None) -> KafkaMark | None:
        """The mark of the consumer's group, None where it has none or it has expired."""

        def ask(within_s: float) -> TopicPartition:
            (answer,) = consumer.committed([self.place()], timeout=within_s)
            if answer.error is not None:
                raise KafkaException(answer.error)
            return answer

        found = self._client.patiently("reading the mark of the last batch", ask, wait_s)
        if found.offset < 0:
            return None
        where = f"{self._options.location} (group offset)"
        mark = KafkaMark.from_text(found.metadata or "", where)
        if mark.offset != found.offset:
            raise MalformedError(
                f"the group says offset {found.offset}, and its own words say {mark.offset}",
                subject=where,
                next_action="find out who has reset the group",
            )
        return mark

    def record(self, query_id: str, batch_id: int) -> KafkaMark | None:
        """The mark of one batch, None where it is older than those that are kept."""
        return next(
            (
                each.mark
                for each in self.records(self._client.wait_s)
                if each.mark.query_id == query_id
                and each.mark.sink == self._options.name
                and each.mark.batch_id == batch_id
                and not each.is_fence
            ),
            None,
        )

    def records(self, wait_s: float) -> Iterator[LedgerRecord]:
        """Every record of the ledger up to what is its end now, in their order.

        A transaction of another query that is open hides what lies behind it: it is waited for,
        because a mark may lie there. Raises UnreachableError where it stays open.
        """
        with closing(self._client.consumer("holdfast-ledger")) as consumer:
            first, end = self._bounds(consumer, wait_s)
            if first >= end:
                return
            with self._client.asking("reading the ledger"):
                consumer.assign([TopicPartition(self._topic, _PARTITION, first)])
                for message in self._messages(consumer, end):
                    where = f"{self._options.servers}/{self._topic}@{message.offset()}"
                    found = LedgerRecord.from_bytes(_bytes(message.key()), message.value(), where)
                    if found is not None:
                        yield found

    def _newest(self, query_id: str, wait_s: float) -> KafkaMark | None:
        newest = None
        for each in self.records(wait_s):
            if each.mark.query_id == query_id and each.mark.sink == self._options.name:
                newest = each.mark
        return newest

    def _bounds(self, consumer: Consumer, wait_s: float) -> tuple[int, int]:
        """First offset and end, once everything before the end is decided."""
        with closing(self._client.consumer("holdfast-ledger", committed_only=False)) as other:
            first, end = self._ends(other)
        until = deadline(wait_s)
        while self._ends(consumer)[1] < end:
            if is_over(until):
                raise UnreachableError(
                    f"the end of the ledger {self._topic!r} is hidden behind a transaction that "
                    "another writer has left open",
                    subject=self._options.servers,
                    next_action="start that writer again, or find it with kafka-transactions.sh "
                    "find-hanging and abort it",
                )
            time.sleep(_PAUSE_S)
        return first, end

    def _ends(self, consumer: Consumer) -> tuple[int, int]:
        def ask(within_s: float) -> tuple[int, int]:
            place = TopicPartition(self._topic, _PARTITION)
            found = consumer.get_watermark_offsets(place, within_s, cached=False)
            if found is None:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
            return found

        return self._client.patiently("reading the ledger", ask)

    def _messages(self, consumer: Consumer, end: int) -> Iterator[Message]:
        until = deadline(self._client.wait_s)
        while True:
            for message in consumer.consume(_READ_AT_ONCE, timeout=_POLL_S):
                until = deadline(self._client.wait_s)
                error, offset = message.error(), message.offset()
                if error is not None and error.code() == KafkaError._PARTITION_EOF:
                    return
                if error is not None:
                    raise KafkaException(error)
                if offset is None or offset >= end:
                    return
                yield message
            if is_over(until):
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT))


def read_kafka_ledger(options: dict[str, Any], query_id: str | None = None) -> list[LedgerRecord]:
    """The marks of a sink with these options, of one query or of all, in the order of writing.

    Read-only, and without Spark. Empty where there is no ledger; starts of a query are left out.
    Each batch comes once, as it was written last. Raises UnreachableError where no broker answers.
    """
    parsed = KafkaSinkOptions.parse(options)
    client = KafkaClient(parsed)
    held: dict[tuple[str, str, int | None], LedgerRecord] = {}
    ledger = KafkaLedger(client, parsed)
    if not _exists(client, parsed):
        return []
    for each in ledger.records(client.wait_s):
        if not each.is_fence and query_id in (None, each.mark.query_id):
            key = (each.mark.query_id, each.mark.sink, each.mark.batch_id)
            held.pop(key, None)
            held[key] = each
    return list(held.values())


def _exists(client: KafkaClient, options: KafkaSinkOptions) -> bool:
    with client.asking("looking for the ledger"):
        # All topics: a broker may create one that is asked for by name.
        return options.ledger_topic in client.admin().list_topics(timeout=client.wait_s).topics


def _bytes(key: Any) -> bytes | None:
    return key.encode("utf-8") if isinstance(key, str) else key
