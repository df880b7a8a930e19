"""Topics and checkpoints for the tests of Kafka sources."""

import json
import time
import uuid
from pathlib import Path
from typing import Any

from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from tests.checkpoint_builder import CheckpointBuilder

WAIT_S = 30


def admin(servers: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": servers, "log_level": 0})


def new_name() -> str:
    return f"s-{uuid.uuid4().hex[:12]}"


def make_topic(servers: str, name: str, partitions: int = 1, **config: str) -> None:
    settings = {key.replace("_", "."): value for key, value in config.items()}
    client = admin(servers)
    client.create_topics([NewTopic(name, partitions, 1, config=settings)])[name].result(WAIT_S)
    until_there(servers, name, partitions)


def until_there(servers: str, name: str, partitions: int) -> None:
    client = admin(servers)
    for _ in range(WAIT_S * 10):
        found = client.list_topics(timeout=WAIT_S).topics.get(name)
        if found is not None and len(found.partitions) == partitions:
            return
        time.sleep(0.1)
    raise AssertionError(f"{name} does not appear")


def remove_topic(servers: str, name: str) -> None:
    client = admin(servers)
    client.delete_topics([name])[name].result(WAIT_S)
    for _ in range(WAIT_S * 10):
        if name not in client.list_topics(timeout=WAIT_S).topics:
            return
        time.sleep(0.1)
    raise AssertionError(f"{name} does not go away")


def add_partitions(servers: str, name: str, total: int) -> None:
    client = admin(servers)
    client.create_partitions([NewPartitions(name, total)])[name].result(WAIT_S)
    until_there(servers, name, total)


def produce(
    servers: str, name: str, count: int, partition: int = 0, at_ms: int | None = None
) -> None:
    producer = Producer({"bootstrap.servers": servers, "log_level": 0})
    for number in range(count):
        stamp: dict[str, Any] = {} if at_ms is None else {"timestamp": at_ms + number}
        producer.produce(name, str(number).encode(), partition=partition, **stamp)
    assert producer.flush(WAIT_S) == 0


def remove_records(servers: str, name: str, before: int, partition: int = 0) -> None:
    place = TopicPartition(name, partition, before)
    client = admin(servers)  # answers nothing once nobody holds it
    client.delete_records([place])[place].result(WAIT_S)


def checkpoint_at(folder: Path, offsets: dict[str, dict[str, int]]) -> Path:
    """A checkpoint whose only batch ended at these offsets."""
    begin = {topic: dict.fromkeys(parts, 0) for topic, parts in offsets.items()}
    text = json.dumps(offsets, separators=(",", ":"))
    first = b"\0v1\n" + json.dumps(begin, separators=(",", ":")).encode()
    builder = CheckpointBuilder(folder).metadata().write("sources/0/0", first)
    builder.plan(0, text).commit(0)
    return folder
