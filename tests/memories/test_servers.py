"""The ledgers of our sinks on real servers: PostgreSQL and Kafka, there and gone."""

import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.servers.kafka import Broker

from holdfast.adapters.memories.opening import read_memory
from holdfast.adapters.sinks.kafka.topics import KafkaTopics
from holdfast.core.evidence.sink_memory import OtherWriter
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.job import SinkSpec
from tests.sinks import kafka_topics, servers
from tests.sinks.sql_tables import QUERY, make_batch

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

OTHER = "9d3b2f9a-3c1b-4d8e-8f0e-1a6f0f9f3a22"
OFFSETS = {"0": {"start": 1, "end": 5}}


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with servers.postgres_url() as url:
        yield url


def test_the_ledger_of_postgres(postgres: str, tmp_path: Path) -> None:
    table = servers.table_for(tmp_path)
    sink = servers.server_sink(postgres, table, create=True)
    for batch_id in range(2):
        sink.write(make_batch(batch_id, [(batch_id, "a")], sink=table, offsets=OFFSETS))
    sink.open(OTHER, 1)
    found = read_memory(f"postgres:{postgres}?table={table}", QUERY)
    assert (found.kind, found.exists, found.skips) == ("sql", True, "checked")
    assert isinstance(found.last, Known) and found.last.value == 1
    assert found.others == (OtherWriter(key=OTHER, last=None),)
    assert [(m.batch, m.rows, m.start, m.end) for m in found.batches] == [
        (1, 1, '{"0":1}', '{"0":5}'),
        (0, 1, '{"0":1}', '{"0":5}'),
    ]
    spec = SinkSpec(kind="sql", options={"url": postgres, "table": table})
    assert read_memory(spec, QUERY) == found
    in_schema = read_memory(f"postgres:{postgres}?table=public.{table}", QUERY)
    assert in_schema.last == found.last


def test_a_postgres_that_refuses_and_one_that_is_gone() -> None:
    url = "postgresql://user:very-secret-word@127.0.0.1:9/shop"
    for where in (
        f"postgres:{url}?table=events",
        SinkSpec(kind="sql", options={"url": url, "table": "events"}),
    ):
        found = read_memory(where, QUERY)
        assert isinstance(found.last, Unreadable) and found.exists is None and found.kind == "sql"
        assert "very-secret-word" not in repr(found)


def test_the_mark_and_the_ledger_of_kafka(kafka: Broker) -> None:
    topic = kafka_topics.new_topic()
    sink = kafka_topics.opened(topic)
    for batch_id in range(3):
        rows = [(b"k", b"v")] * (batch_id + 1)
        sink.write(kafka_topics.make_batch(sink, batch_id, rows, offsets=OFFSETS))
    other = kafka_topics.opened(topic, query=OTHER)
    other.write(kafka_topics.make_batch(other, 0, [(b"k", b"v")], query=OTHER))
    found = read_memory(f"kafka:{kafka.address}/{topic}", QUERY)
    assert (found.kind, found.exists, found.skips) == ("kafka", True, "checked")
    assert isinstance(found.last, Known) and found.last.value == 2
    assert found.others == (OtherWriter(key=OTHER, last=0),)
    assert [(m.batch, m.rows, m.end) for m in found.batches] == [
        (2, 3, '{"0":5}'),
        (1, 2, '{"0":5}'),
        (0, 1, '{"0":5}'),
    ]
    assert isinstance(found.table_id, Known) and found.notes == ()
    spec = SinkSpec(kind="kafka", options={"servers": kafka.address, "topic": topic})
    assert read_memory(spec, QUERY) == found
    assert isinstance(read_memory(spec, str(uuid.uuid4())).last, Absent)


def await_topic(topics: KafkaTopics, name: str, *, there: bool) -> None:
    """A broker answers before it has done what it was asked for."""
    deadline = time.monotonic() + 60
    while (topics.find(name) is not None) is not there:
        assert time.monotonic() < deadline, "the broker never did it"
        time.sleep(0.05)


def test_a_topic_that_was_made_again(kafka: Broker) -> None:
    topic = kafka_topics.new_topic()
    sink = kafka_topics.opened(topic)
    sink.write(kafka_topics.make_batch(sink, 0, [(b"k", b"v")]))
    topics = KafkaTopics(sink._client, sink._options)
    topics.remove(topic)
    await_topic(topics, topic, there=False)
    topics.make(topic, 2)
    await_topic(topics, topic, there=True)
    found = read_memory(f"kafka:{kafka.address}/{topic}", QUERY)
    assert isinstance(found.last, Known), "the ledger has it, although the group lost it"
    assert any("another one" in note for note in found.notes)


def test_a_topic_without_a_ledger_and_none_at_all(kafka: Broker) -> None:
    topic = kafka_topics.new_topic()
    sink = kafka_topics.make_sink(topic)
    missing = read_memory(f"kafka:{kafka.address}/{topic}", QUERY)
    assert isinstance(missing.last, Absent) and missing.exists is False
    topics = KafkaTopics(sink._client, sink._options)
    topics.make(topic, 1)
    await_topic(topics, topic, there=True)
    found = read_memory(f"kafka:{kafka.address}/{topic}", QUERY)
    assert isinstance(found.last, Absent) and found.skips == "never", "Spark's own sink has none"
    spec = SinkSpec(kind="kafka", options={"servers": kafka.address, "topic": topic})
    assert read_memory(spec, QUERY).skips == "checked"


def test_brokers_that_are_gone() -> None:
    found = read_memory("kafka:127.0.0.1:9/events", QUERY)
    assert isinstance(found.last, Unreadable) and found.kind == "kafka"
