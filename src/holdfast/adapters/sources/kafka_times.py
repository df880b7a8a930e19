"""When the first unread record of each partition was written: one record of each is fetched."""

import time
from collections.abc import Mapping
from contextlib import closing

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, KafkaException, TopicPartition

from holdfast.adapters.sinks.kafka.client import KafkaClient

PARTITIONS_MAX = 200
"""Partitions that are asked for a record; no request tells the time at an offset without one."""

_WITHIN_S = 5.0
_AT_ONCE = 100
_GROUP = "holdfast-lag"
"""Must be there, and is not used: nothing is joined and nothing committed."""


def first_times(
    client: KafkaClient, starts: Mapping[tuple[str, int], int]
) -> tuple[dict[tuple[str, int], int], list[str]]:
    """Timestamps in milliseconds by partition, and a note about those that are not known."""
    asked = dict(sorted(starts.items())[:PARTITIONS_MAX])
    found: dict[tuple[str, int], int] = {}
    if asked:
        try:
            found = _fetched(client, asked)
        except KafkaException as error:
            said = error.args[0].str()
            return {}, [f"no record could be read, so times are not known: {said}"]
    unknown = len(starts) - len(found)
    notes = [f"of {unknown:,} partitions the time of the first unread record is not known"]
    return found, notes if unknown else []


def _fetched(
    client: KafkaClient, starts: Mapping[tuple[str, int], int]
) -> dict[tuple[str, int], int]:
    found: dict[tuple[str, int], int] = {}
    waiting = set(starts)
    until = time.monotonic() + _WITHIN_S
    with closing(client.consumer(_GROUP, committed_only=False)) as consumer:
        consumer.assign([TopicPartition(*part, offset) for part, offset in starts.items()])
        while waiting and time.monotonic() < until:
            for message in consumer.consume(_AT_ONCE, timeout=0.1):
                topic, number = message.topic(), message.partition()
                if topic is None or number is None or (topic, number) not in waiting:
                    continue
                # Whatever came, a record, the end or an error, there is no more to wait for.
                waiting.discard((topic, number))
                kind, at_ms = message.timestamp()
                if message.error() is None and kind != TIMESTAMP_NOT_AVAILABLE:
                    found[topic, number] = int(at_ms)
                consumer.incremental_unassign([TopicPartition(topic, number)])
    return found
