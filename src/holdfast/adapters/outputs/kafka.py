"""Records of a Kafka topic, as a reader sees them that reads committed ones only."""

import time
from contextlib import closing
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from holdfast.core.crash.table import EMPTY, Table, table_of
from holdfast.core.limits import OUTPUT_ROWS_MAX
from holdfast.errors import UnreachableError

COLUMNS = ("headers", "key", "value")
"""Not partition, offset and timestamp: those are other ones in every run."""
_ANSWER_S = 10.0
_SILENCE_S = 30.0
"""How long a broker may say nothing, neither a record nor that there are no more."""
_AT_ONCE = 1_000
_PAUSE_S = 0.1
# What a broker says of a topic that was made a moment ago.
_PASSING = (
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
)


class KafkaOutput:
    """Implements audit.room.Output."""

    def __init__(self, servers: str, topic: str) -> None:
        """Nothing is opened yet; a topic that is not there has no rows."""
        self._servers = servers
        self._topic = topic

    def read(self) -> Table:
        """Every committed record from the beginning to what is the end now.

        What lies behind a transaction that is still open is behind the end, as for every reader.
        """
        try:
            with closing(self._consumer()) as consumer:
                ends = self._ends(consumer)
                return EMPTY if ends is None else table_of(COLUMNS, self._rows(consumer, ends))
        except KafkaException as error:
            raise self._unreachable(error.args[0].str()) from error

    def _consumer(self) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self._servers,
                "group.id": "holdfast-audit",  # must be there, and is not used: nothing is joined
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "allow.auto.create.topics": False,
                "log_level": 0,
            }
        )

    def _ends(self, consumer: Consumer) -> dict[int, tuple[int, int]] | None:
        """First offset and end of each partition; None where there is no such topic."""
        # All topics: a broker may create one that is asked for by name.
        topic = consumer.list_topics(timeout=_ANSWER_S).topics.get(self._topic)
        if topic is None:
            return None
        return {number: self._offsets(consumer, number) for number in topic.partitions}

    def _offsets(self, consumer: Consumer, number: int) -> tuple[int, int]:
        deadline = time.monotonic() + _ANSWER_S
        while True:
            try:
                place = TopicPartition(self._topic, number)
                found = consumer.get_watermark_offsets(place, timeout=_ANSWER_S, cached=False)
            except KafkaException as error:
                if error.args[0].code() not in _PASSING or time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_S)
                continue
            if found is None:
                raise self._unreachable(f"partition {number} does not answer")
            return found

    def _rows(self, consumer: Consumer, ends: dict[int, tuple[int, int]]) -> list[tuple[Any, ...]]:
        waiting = {number for number, (first, end) in ends.items() if first < end}
        consumer.assign([TopicPartition(self._topic, p, ends[p][0]) for p in sorted(waiting)])
        rows: list[tuple[Any, ...]] = []
        heard = time.monotonic()
        while waiting and len(rows) <= OUTPUT_ROWS_MAX:
            for message in consumer.consume(_AT_ONCE, timeout=0.05):
                heard = time.monotonic()
                number, offset = _place(message)
                is_end, end = _is_end(message), ends[number][1]
                if not is_end and offset < end:
                    rows.append((message.headers(), message.key(), message.value()))
                if is_end or offset + 1 >= end:
                    waiting.discard(number)
            if time.monotonic() - heard > _SILENCE_S:
                raise self._unreachable(f"partitions {sorted(waiting)} do not come to an end")
        return rows

    def _unreachable(self, why: str) -> UnreachableError:
        return UnreachableError(
            f"the output cannot be read: {why}", subject=f"{self._servers}/{self._topic}"
        )


def _place(message: Message) -> tuple[int, int]:
    number, offset = message.partition(), message.offset()
    assert number is not None and offset is not None
    return number, offset


def _is_end(message: Message) -> bool:
    """Whether it is no record but the word that there are no more for now."""
    error = message.error()
    if error is not None and error.code() != KafkaError._PARTITION_EOF:
        raise KafkaException(error)
    return error is not None
