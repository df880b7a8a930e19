"""The Kafka sink when brokers, connections and records fail: nothing lost, nothing twice."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient
from scripts.servers.kafka import Broker

from holdfast.adapters.sinks.kafka.sink import KafkaSink
from holdfast.errors import RefusedError, UnreachableError
from tests.sinks.kafka_topics import LONG, QUERY, make_batch, make_sink, new_topic, opened, values
from tests.sinks.loopback_proxy import door

pytestmark = [LONG, pytest.mark.server, pytest.mark.timeout(300)]
ROWS = [(b"%d" % number, b"v%d" % (number % 7)) for number in range(50)]
GIVEN = Counter(value for _, value in ROWS)


@pytest.fixture
def topic(kafka: Broker) -> str:
    return new_topic()


def never() -> Iterator[Any]:
    raise AssertionError("the rows of a batch that is held were asked for")


def test_a_broker_that_dies_within_a_batch(kafka: Broker, topic: str) -> None:
    """Killed among the rows and started again: the same write goes on, or the next one does."""
    sink = opened(topic, wait_seconds=20)
    sink.write(make_batch(sink, 0, ROWS))

    def rows() -> Iterator[Any]:
        yield from ROWS[:25]
        kafka.kill()
        starting.start()
        yield from ROWS[25:]

    starting = threading.Thread(target=kafka.start)
    try:
        first = sink.write(make_batch(sink, 1, rows))
    except UnreachableError:
        first = None
    starting.join()
    assert values(topic) == (Counter(GIVEN) if first is None else Counter(GIVEN + GIVEN))
    again = opened(topic, 2)
    assert again.write(make_batch(again, 1, ROWS, epoch=2)) is (first is None)
    assert values(topic) == GIVEN + GIVEN


@pytest.mark.parametrize("back_after_s", [1.0, None])
def test_a_commit_without_an_answer(kafka: Broker, topic: str, back_after_s: float | None) -> None:
    """The commit arrives and its answer does not; the connection comes back, or stays away."""
    opened(topic)
    with door(kafka.door, int(kafka.behind.rpartition(":")[2])) as way:
        sink = behind(kafka, topic)
        sink.write(make_batch(sink, 0, ROWS, epoch=2))

        def lose_answers(step: str) -> None:
            if step != "commit" or way.mute:
                return
            way.mute = True
            if back_after_s is not None:
                threading.Timer(back_after_s, come_back).start()

        def come_back() -> None:
            way.cut()
            way.mute = False

        sink.listen(lose_answers)
        try:
            wrote = sink.write(make_batch(sink, 1, ROWS, epoch=2))
        except UnreachableError:
            assert back_after_s is None, "it was back in time"
            come_back()
            wrote = None
        sink.listen(lambda _step: None)
        if wrote is None:
            assert sink.write(make_batch(sink, 1, ROWS, epoch=2)) in (True, False)
        else:
            assert wrote is True
        assert values(topic) == GIVEN + GIVEN
        assert sink.write(make_batch(sink, 1, never, epoch=2)) is False


def behind(kafka: Broker, topic: str) -> KafkaSink:
    """A sink whose every connection goes through the door."""
    sink = make_sink(topic, servers=f"127.0.0.1:{kafka.door}", wait_seconds=4)
    sink.open(QUERY, 2)
    return sink


def test_a_batch_that_takes_longer_than_its_transaction(topic: str) -> None:
    sink = opened(topic, transaction_seconds=1, wait_seconds=10)
    until = time.monotonic() + 15

    def rows() -> Iterator[Any]:
        yield from ROWS
        while time.monotonic() < until:  # the broker looks every ten seconds
            time.sleep(0.5)
        yield from ROWS

    with pytest.raises(UnreachableError, match="its transaction was given up") as caught:
        sink.write(make_batch(sink, 0, rows))
    assert "transaction_seconds" in caught.value.next_action
    assert values(topic) == Counter()
    assert sink.write(make_batch(sink, 0, ROWS)) is True
    assert values(topic) == GIVEN


def test_records_that_cannot_be_sent_are_named(kafka: Broker, topic: str) -> None:
    sink = opened(topic)
    cases: list[tuple[Any, str]] = [
        ([(b"k", b"x" * 2_000_000)], "sending rows was refused: .*(too large|size)"),
        ([(b"k", 3)], "row 1: value is int, no text and no bytes"),
        ([(b"k",)], "row 1 has 1 values"),
    ]
    for rows, said in cases:
        with pytest.raises(RefusedError, match=said):
            sink.write(make_batch(sink, 0, [*ROWS, *rows] if len(rows[0]) == 3 else rows))
        assert values(topic) == Counter()
    with pytest.raises(RefusedError, match="partition"):
        rows = [(b"v", 0), (b"v", 7)]
        sink.write(make_batch(sink, 0, rows, columns=("value", "partition")))
    with pytest.raises(RefusedError, match="column 'id' is none of a record"):
        sink.write(make_batch(sink, 0, never, columns=("value", "id")))
    assert sink.write(make_batch(sink, 0, ROWS)) is True
    assert values(topic) == GIVEN


def test_a_topic_that_goes_away_meanwhile(kafka: Broker, topic: str) -> None:
    sink = opened(topic, wait_seconds=3)
    sink.write(make_batch(sink, 0, ROWS))
    admin = AdminClient({"bootstrap.servers": kafka.address})
    admin.delete_topics([topic])[topic].result(30)
    with suppress(UnreachableError, RefusedError):
        sink.write(make_batch(sink, 1, ROWS))  # this broker makes topics that are asked for
    with pytest.raises(RefusedError, match="was deleted and made again"):
        opened(topic, 2)
