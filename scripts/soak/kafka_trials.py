"""A writer of the Kafka sink that is paused anywhere, overtaken, and woken again."""

from __future__ import annotations

import os
import random
import uuid
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition

from holdfast.adapters.sinks.kafka.sink import KafkaSink
from holdfast.testing.candidate import QUERY, Candidate, batch_of
from holdfast.testing.order import Moment, Order
from holdfast.testing.writers import Writers

SERVERS = "HOLDFAST_TEST_KAFKA"
"""The variable that tells other processes where the broker is."""
ROWS = 40
TEXT = "x" * 4_000
"""Large enough that a pause finds rows on their way."""


class PausedSink(Candidate):
    """The sink, with a topic for each folder."""

    def open_sink(self, folder: Path) -> KafkaSink:
        return KafkaSink.from_options(
            {
                "servers": os.environ[SERVERS],
                "topic": topic_of(folder),
                "value": "json",
                "key": ["id"],
                "create": True,
                "partitions": 2,
            }
        )

    def read(self, folder: Path) -> Iterable[tuple[Any, ...]]:
        return visible(folder).elements()

    def rows(self, batch_id: int) -> list[tuple[int, int, str]]:
        return [(key, batch_id, TEXT) for key in range(ROWS)]


def topic_of(folder: Path) -> str:
    return f"t-{uuid.uuid5(uuid.NAMESPACE_URL, str(folder)).hex}"


def trial(writers: Writers, candidate: PausedSink, folder: Path, chance: random.Random) -> str:
    """One trial; says where the writer was paused. Raises AssertionError where it did harm."""
    folder.mkdir(parents=True)
    sink = candidate.open_sink(folder)
    sink.open(QUERY, 1)
    sink.write(batch_of(candidate, sink, 0))
    at = chance.choice(
        (
            Moment(kind="row", number=chance.randint(1, 2 * (ROWS + 1))),
            Moment(kind="step", number=chance.randint(1, 10)),
            Moment(kind="write", number=chance.randint(1, 2)),
        )
    )
    place = str(folder)
    zombie = writers.start(Order(folder=place, epoch=2, batches=(1, 2), at=at, then="pause"))
    assert zombie.await_pause(), f"it did not come to {at}"
    newer = writers.run(Order(folder=place, epoch=3, batches=(1,)))
    assert not newer.error, newer.error
    before = visible(folder)
    zombie.go_on()
    woken = zombie.report()
    where = woken.reached
    last_step = at.kind == "step" and at.number == 10
    assert woken.is_fenced or last_step, f"{where}: it was not refused: {woken.error}"
    assert visible(folder) == before, f"{where}: something became visible after it woke"
    final = writers.run(Order(folder=place, epoch=4, batches=(1, 2)))
    assert not final.error, final.error
    right = Counter({(batch, key): 1 for batch in range(3) for key in range(ROWS)})
    assert visible(folder) == right, f"{where}: lost or doubled rows"
    return where


def visible(folder: Path) -> Counter[tuple[int, int]]:
    """Batch and key of every committed record, with how often it is there."""
    topic = topic_of(folder)
    settings = {
        "bootstrap.servers": os.environ[SERVERS],
        "group.id": "trials",
        "isolation.level": "read_committed",
        "enable.partition.eof": True,
        "fetch.wait.max.ms": 20,
    }
    found: Counter[tuple[int, int]] = Counter()
    with closing(Consumer(settings)) as consumer:
        waiting = {0, 1}
        consumer.assign([TopicPartition(topic, number, 0) for number in waiting])
        while waiting:
            for message in consumer.consume(1000, timeout=0.05):
                error = message.error()
                if error is None:
                    found[_batch_and_key(message.key(), message.value())] += 1
                elif error.code() == KafkaError._PARTITION_EOF:
                    waiting.discard(message.partition())
    return found


def _batch_and_key(key: Any, value: Any) -> tuple[int, int]:
    batch = value.partition(b'"version":')[2].partition(b",")[0]
    return int(batch), int(key.partition(b'"id":')[2].rstrip(b"}"))
