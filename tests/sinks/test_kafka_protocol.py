"""The Kafka sink on a real broker: records, marks, memories that fail, and who may write."""

import json
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from scripts.servers.kafka import Broker

from holdfast.adapters.sinks.kafka.ledger import read_kafka_ledger
from holdfast.adapters.sinks.kafka.mark import KafkaMark, client_name
from holdfast.adapters.sinks.kafka.records import RecordDigest
from holdfast.adapters.sinks.kafka.sink import KafkaSink
from holdfast.errors import FencedError, MalformedError, RefusedError, UsageError
from tests.sinks.kafka_topics import (
    QUERY,
    consumed,
    held,
    make_batch,
    make_sink,
    new_topic,
    opened,
    servers,
    values,
)

pytestmark = [pytest.mark.server, pytest.mark.timeout(300), pytest.mark.usefixtures("kafka")]
ROWS = [(b"a", b"1"), ("b", "2"), (None, b"3"), (b"a", b"1")]
GIVEN = Counter([b"1", b"2", b"3", b"1"])


@pytest.fixture
def admin(kafka: Broker) -> AdminClient:
    return AdminClient({"bootstrap.servers": kafka.address})


@pytest.fixture
def topic() -> str:
    return new_topic()


def never() -> Iterator[Any]:
    raise AssertionError("the rows of a batch that is held were asked for")


def forget_group(topic: str) -> None:
    """What a broker does after offsets.retention.minutes."""
    asked = AdminClient({"bootstrap.servers": servers()})
    group = client_name(QUERY, topic)
    asked.delete_consumer_groups([group])[group].result(30)


def drop(admin: AdminClient, *names: str) -> None:
    for future in admin.delete_topics(list(names)).values():
        future.result(30)
    while set(names) & set(admin.list_topics(timeout=30).topics):
        pass


def test_records_have_what_the_columns_say(topic: str) -> None:
    sink = opened(topic)
    columns = ("value", "key", "headers", "partition", "topic")
    rows = [
        ("v", "k", [("h", b"1"), ("h", None)], 1, "another"),
        (None, None, None, 0, None),
        (b"\xff", b"", [], None, None),
    ]
    assert sink.write(make_batch(sink, 0, rows, columns=columns)) is True
    assert held(topic) == Counter(
        {
            ('[["h", 0x31], ["h", null]]', "0x6b", "0x76"): 1,
            ("null", "null", "null"): 1,
            ("null", "0x", "0xff"): 1,
        }
    )
    assert {(value, place) for _, value, place in consumed(topic)} >= {(b"v", 1), (None, 0)}


def test_a_key_goes_where_the_java_client_puts_it(topic: str) -> None:
    # Utils.murmur2 of Kafka's own client over 4 partitions, as org.apache.kafka gives it.
    sink = opened(topic, partitions=4)
    keys = [b"21", b"foobar", b"a-little-bit-long-string", b"abc"]
    murmur2 = [-973932308, -790332482, -985981536, 479470107]
    sink.write(make_batch(sink, 0, [(key, b"") for key in keys]))
    expected = {key: (h & 0x7FFFFFFF) % 4 for key, h in zip(keys, murmur2, strict=True)}
    assert {key: place for key, _, place in consumed(topic)} == expected


def test_rows_may_name_their_topics(topic: str) -> None:
    ledger, other = new_topic(), new_topic()
    opened(topic).write(make_batch(make_sink(topic), 0, []))
    opened(other)
    sink = opened(topic, topic=None, ledger=ledger, partitions=None)
    assert sink.name == ledger
    rows = [(b"1", topic), (b"2", other)]
    sink.write(make_batch(sink, 0, rows, columns=("value", "topic")))
    assert (values(topic), values(other)) == (Counter([b"1"]), Counter([b"2"]))
    assert opened(topic, 2, topic=None, ledger=ledger, partitions=None).last_batch(QUERY) == 0
    with pytest.raises(RefusedError, match="row 2 names no topic"):
        sink = opened(topic, 3, topic=None, ledger=ledger, partitions=None)
        rows = [(b"3", topic), (b"4", None)]
        sink.write(make_batch(sink, 1, rows, columns=("value", "topic"), epoch=3))
    assert values(topic) == Counter([b"1"])


def test_the_ledger_tells_what_was_written(topic: str) -> None:
    sink = opened(topic, 3)
    sink.write(make_batch(sink, 0, ROWS, epoch=3))
    sink.write(make_batch(sink, 1, [], epoch=3))
    opened(topic, 4)
    first, second = read_kafka_ledger({"servers": servers(), "topic": topic})
    digest = RecordDigest()
    for key, value, _ in consumed(topic):
        digest.add(key, value, None)
    mark = first.mark
    assert (mark.batch_id, mark.written_by, mark.rows) == (0, 3, 4)
    assert mark.digest == digest.hex() != RecordDigest().hex()
    assert (first.offsets, second.offsets) == ({"0": {"end": 0}}, {"0": {"end": 1}})
    assert (second.mark.batch_id, second.mark.rows) == (1, 0)
    assert read_kafka_ledger({"servers": servers(), "topic": new_topic()}) == []


def test_a_group_that_was_forgotten_is_remembered_by_the_ledger(topic: str) -> None:
    sink = opened(topic)
    sink.write(make_batch(sink, 0, ROWS))
    sink.write(make_batch(sink, 1, ROWS))
    del sink
    forget_group(topic)
    again = opened(topic, 2)
    assert again.last_batch(QUERY) == 1
    assert again.write(make_batch(again, 1, never, epoch=2)) is False
    assert again.write(make_batch(again, 2, ROWS, epoch=2)) is True
    assert values(topic) == Counter({value: 3 * n for value, n in GIVEN.items()})
    forget_group(topic)
    with pytest.raises(FencedError):
        opened(topic, 1)


def test_a_ledger_that_was_lost_is_made_again_from_the_group(
    topic: str, admin: AdminClient
) -> None:
    sink = opened(topic)
    sink.write(make_batch(sink, 0, ROWS))
    drop(admin, f"{topic}-holdfast")
    again = opened(topic, 2)
    assert again.write(make_batch(again, 0, never, epoch=2)) is False
    forget_group(topic)
    assert opened(topic, 3).last_batch(QUERY) == 0


def test_where_both_may_be_lost_it_is_refused(topic: str, admin: AdminClient) -> None:
    sink = opened(topic)
    sink.write(make_batch(sink, 0, ROWS))
    del sink
    drop(admin, f"{topic}-holdfast")
    forget_group(topic)
    again = opened(topic, 2)
    with pytest.raises(RefusedError, match="either the sink is new for it, or the ledger was lost"):
        again.write(make_batch(again, 1, never, epoch=2))
    told = opened(topic, 3, first_batch=1)
    assert told.write(make_batch(told, 1, [(None, b"4")], epoch=3)) is True
    assert values(topic) == GIVEN + Counter([b"4"])


def test_a_topic_that_was_made_again_is_not_the_same(topic: str, admin: AdminClient) -> None:
    sink = opened(topic)
    sink.write(make_batch(sink, 0, ROWS))
    del sink
    drop(admin, topic)
    with pytest.raises(RefusedError, match="was deleted and made again since batch 0") as caught:
        opened(topic, 2)
    topic_id = caught.value.next_action.rpartition(" ")[2]
    told = opened(topic, 2, topic_id=topic_id)
    assert told.write(make_batch(told, 0, never, epoch=2)) is False
    assert told.write(make_batch(told, 1, ROWS, epoch=2)) is True
    assert opened(topic, 3).last_batch(QUERY) == 1, "the mark knows the new topic"


def test_a_batch_id_with_other_offsets_is_another_batch(topic: str) -> None:
    sink = opened(topic)
    for batch_id in (0, 1):
        sink.write(make_batch(sink, batch_id, ROWS))
    for batch_id in (0, 1):
        assert sink.write(make_batch(sink, batch_id, never)) is False
        assert sink.write(make_batch(sink, batch_id, never, offsets={})) is False
        with pytest.raises(RefusedError, match="another batch, and skipping it would lose rows"):
            sink.write(make_batch(sink, batch_id, never, offsets={"0": {"end": 9}}))


def test_a_lower_epoch_that_comes_late_does_not_disturb(topic: str) -> None:
    new = opened(topic, 2)
    new.write(make_batch(new, 0, ROWS, epoch=2))
    with pytest.raises(FencedError, match="epoch 2 has taken over"):
        opened(topic, 1)
    assert new.write(make_batch(new, 1, ROWS, epoch=2)) is True, "it was not even fenced"


def test_who_was_fenced_by_a_lower_epoch_goes_on(topic: str) -> None:
    """A lower one that initialises its producer before it has seen the mark."""
    new = opened(topic, 2)
    rude = Producer({"bootstrap.servers": servers(), "transactional.id": client_name(QUERY, topic)})
    rude.init_transactions(30)
    with pytest.raises(Exception, match="another producer of the same query and sink"):
        new.write(make_batch(new, 0, ROWS, epoch=2))
    assert new.write(make_batch(new, 0, ROWS, epoch=2)) is True
    assert values(topic) == GIVEN


def test_an_open_transaction_of_another_query_hides_no_mark(topic: str) -> None:
    """The ledger is shared; what lies behind somebody's open transaction is waited for."""
    sink = opened(topic)
    left_open = Producer(
        {"bootstrap.servers": servers(), "transactional.id": uuid.uuid4().hex, "linger.ms": 0}
    )
    left_open.init_transactions(30)
    left_open.begin_transaction()
    mark = KafkaMark(query_id="another", sink=topic, epoch=1)
    left_open.produce(f"{topic}-holdfast", mark.to_text().encode(), b"another", partition=0)
    left_open.flush(30)
    sink.write(make_batch(sink, 0, ROWS))
    forget_group(topic)
    told: list[str] = []

    def commit() -> None:
        told.append("waited")
        left_open.commit_transaction(30)

    again = make_sink(topic)
    ends = again._ledger._ends

    def seen(consumer: Consumer) -> tuple[int, int]:
        found = ends(consumer)
        if not told and found[1] < 3:
            commit()
        return found

    again._ledger._ends = seen  # type: ignore[method-assign]
    again.open(QUERY, 2)
    assert told == ["waited"]
    assert again.write(make_batch(again, 0, never, epoch=2)) is False
    assert values(topic) == GIVEN


def test_a_mark_of_somebody_else_is_not_believed(topic: str) -> None:
    sink = opened(topic)
    sink.write(make_batch(sink, 0, ROWS))
    del sink
    settings = {"bootstrap.servers": servers(), "group.id": client_name(QUERY, topic)}
    consumer = Consumer(settings)
    consumer.commit(offsets=[TopicPartition(topic, 0, 0)], asynchronous=False)
    consumer.close()
    with pytest.raises(MalformedError, match="none"):
        opened(topic, 2)


def test_topics_are_not_made_unasked(topic: str, admin: AdminClient) -> None:
    with pytest.raises(UsageError, match="there is no ledger") as caught:
        opened(topic, create=False, partitions=None)
    assert "cleanup.policy=compact" in caught.value.next_action
    ledger = f"{topic}-holdfast"
    admin.create_topics([NewTopic(ledger, 1, 1)])[ledger].result(30)
    with pytest.raises(RefusedError, match="would forget which batches are there"):
        opened(topic, create=False, partitions=None)
    assert topic not in admin.list_topics(timeout=30).topics


def test_a_trial_has_topics_of_its_own(topic: str, admin: AdminClient) -> None:
    opened(topic, partitions=5)
    sink = make_sink(topic, first_batch=3)
    target = sink.trial("/nowhere", "r1")
    assert (target.root, target.read) == (None, f"kafka:{servers()}/{topic}-r1")
    given = {"servers": servers(), "topic": topic, "first_batch": 3, **target.options}
    copy = KafkaSink.from_options(given)
    copy.open(QUERY, 1)
    copy.write(make_batch(copy, 0, ROWS))
    assert (values(topic), values(f"{topic}-r1")) == (Counter(), GIVEN)
    known = admin.list_topics(timeout=30).topics
    assert len(known[f"{topic}-r1"].partitions) == 5
    sink.end_trial("r1")
    sink.end_trial("r1")
    left = {name for name in admin.list_topics(timeout=30).topics if name.startswith(topic)}
    assert left == {topic, f"{topic}-holdfast"}


def test_json_has_every_column(topic: str) -> None:
    sink = opened(topic, value="json", key=["id"])
    rows = [(1, "ä", None, b"\x00"), (2, 'q"', 0.5, None)]
    sink.write(make_batch(sink, 0, rows, columns=("id", "name", "x", "raw")))
    found = {json.dumps(json.loads(key)): json.loads(value) for key, value, _ in consumed(topic)}
    assert found == {
        '{"id": 1}': {"name": "ä", "raw": "AA=="},
        '{"id": 2}': {"name": 'q"', "x": 0.5},
    }
