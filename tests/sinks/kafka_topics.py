"""Sinks, batches and topics for the tests of the Kafka sink."""

import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, TopicPartition

from holdfast.adapters.outputs.kafka import KafkaOutput
from holdfast.adapters.sinks.kafka.sink import KafkaSink, Steps, no_steps
from holdfast.core.running.batch import Batch

QUERY = "6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11"
SERVERS = "HOLDFAST_TEST_KAFKA"
"""The variable that tells other processes where the broker of a test is."""

LONG = pytest.mark.skipif("HOLDFAST_SOAK" not in os.environ, reason="long: set HOLDFAST_SOAK=1")
"""Trials with kills of brokers, drivers and connections."""


def servers() -> str:
    return os.environ[SERVERS]


def new_topic() -> str:
    return f"t-{uuid.uuid4().hex}"


def topic_of(folder: Path) -> str:
    """A topic for each folder of the conformance suite."""
    return f"t-{uuid.uuid5(uuid.NAMESPACE_URL, str(folder)).hex}"


def make_sink(topic: str, /, *, steps: Steps = no_steps, **options: Any) -> KafkaSink:
    given = {"servers": servers(), "topic": topic, "create": True, "partitions": 2, **options}
    return KafkaSink.from_options(given, steps=steps)


def opened(
    topic: str, epoch: int = 1, /, *, query: str = QUERY, steps: Steps = no_steps, **options: Any
) -> KafkaSink:
    sink = make_sink(topic, steps=steps, **options)
    sink.open(query, epoch)
    return sink


def make_batch(
    sink: KafkaSink,
    batch_id: int,
    rows: Sequence[Sequence[Any]] | Callable[[], Iterator[Sequence[Any]]],
    *,
    columns: Sequence[str] = ("key", "value"),
    epoch: int = 1,
    offsets: Mapping[str, Any] | None = None,
    query: str = QUERY,
) -> Batch:
    return Batch(
        query_id=query,
        sink=sink.name,
        batch_id=batch_id,
        epoch=epoch,
        columns=columns,
        rows=rows if callable(rows) else lambda: iter(rows),
        offsets={"0": {"end": batch_id}} if offsets is None else offsets,
    )


def held(topic: str) -> Counter[tuple[Any, ...]]:
    """Headers, key and value of every committed record, with how often it is there."""
    return Counter(KafkaOutput(servers(), topic).read().rows)


def values(topic: str) -> Counter[bytes]:
    """Every committed value with how often it is there."""
    return Counter(value for _, value, _ in consumed(topic))


def consumed(topic: str) -> list[tuple[bytes | None, bytes | None, int]]:
    """Key, value and partition of every committed record."""
    settings = {
        "bootstrap.servers": servers(),
        "group.id": "tests",
        "isolation.level": "read_committed",
        "enable.partition.eof": True,
        "fetch.wait.max.ms": 20,
        "log_level": 0,
    }
    found = []
    with closing(Consumer(settings)) as consumer:
        known = consumer.list_topics(timeout=30).topics.get(topic)
        if known is None:
            return []
        waiting = set(known.partitions)
        consumer.assign([TopicPartition(topic, number, 0) for number in waiting])
        while waiting:
            for message in consumer.consume(1000, timeout=0.05):
                error = message.error()
                if error is None:
                    found.append((message.key(), message.value(), message.partition()))
                elif error.code() == KafkaError._PARTITION_EOF:
                    waiting.discard(message.partition())
                elif error.code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                    raise AssertionError(error)
    return found
