"""Options of the Kafka sink, without a broker."""

from typing import Any

import pytest
from scripts.servers.loopback import free_ports

from holdfast.adapters.sinks.kafka.mark import (
    SLOTS,
    KafkaMark,
    LedgerRecord,
    fence_key,
    mark_key,
    range_digest,
)
from holdfast.adapters.sinks.kafka.options import KafkaSinkOptions
from holdfast.adapters.sinks.kafka.sink import KafkaSink
from holdfast.adapters.sinks.opening import open_sink
from holdfast.core.secret_text import SecretText
from holdfast.errors import MalformedError, NewerVersionError, UnreachableError, UsageError

GOOD: dict[str, Any] = {"servers": "a:9092", "topic": "orders"}


def test_the_sink_is_found_by_its_kind() -> None:
    sink = open_sink("kafka", GOOD)
    assert getattr(sink, "name", None) == "orders"


def test_options_of_a_declaration() -> None:
    parsed = KafkaSinkOptions.parse(
        {
            "servers": ["a:9092", "b:9092"],
            "topic": "orders",
            "key": "id",
            "value": "json",
            "create": "true",
            "partitions": "6",
            "options": {"kafka.security.protocol": "SASL_SSL", "linger.ms": 5, "x": True},
        }
    )
    assert parsed.servers == "a:9092,b:9092"
    assert (parsed.key, parsed.partitions, parsed.ledger_topic) == (("id",), 6, "orders-holdfast")
    assert parsed.options == {"security.protocol": "SASL_SSL", "linger.ms": "5", "x": "true"}
    own = KafkaSinkOptions.parse({**GOOD, "ledger": "marks"})
    assert (own.ledger_topic, own.name) == ("marks", "orders")
    assert KafkaSinkOptions.parse({"servers": "a:1", "ledger": "marks"}).name == "marks"


def test_a_login_of_java_is_understood_and_not_shown() -> None:
    jaas = SecretText(
        "org.apache.kafka.common.security.plain.PlainLoginModule required "
        'username="me" password="pa\\"ss";',
        "${env:KAFKA_JAAS}",
    )
    given = {**GOOD, "options": {"sasl.mechanism": "PLAIN", "sasl.jaas.config": jaas}}
    parsed = KafkaSinkOptions.parse(given)
    assert parsed.options["sasl.username"] == "me"
    assert parsed.options["sasl.password"] == 'pa"ss'
    assert "pa" not in repr(parsed.options["sasl.password"])[3:6]
    assert 'pa"ss' not in repr(parsed) + repr(parsed.options)


@pytest.mark.parametrize(
    ("options", "message", "next_action"),
    [
        ({"topik": "x"}, "unknown option 'topik'", "did you mean 'topic'?"),
        ({"servers": None}, "option 'servers' is missing", "servers: host:9092"),
        ({"servers": 7}, "servers must be text", "servers: host:9092"),
        ({"servers": " "}, "servers cannot be empty", "servers: host:9092"),
        ({"topic": None}, "without a topic the ledger has no name", "ledger: …"),
        ({"topic": "a b"}, "topic cannot be 'a b'", "letters, digits"),
        ({"topic": "x" * 245}, "ledger cannot be", "up to 249"),
        ({"ledger": "orders"}, "the ledger is the topic itself", "another topic"),
        ({"value": "avro"}, "value cannot be 'avro'", "value: json"),
        ({"key": "id"}, "key needs value: json", "add value: json"),
        ({"key": ["a", "a"], "value": "json"}, "key names a column twice", "once"),
        ({"topic": None, "ledger": "l", "value": "json"}, "value: json needs a topic", "topic"),
        ({"partitions": 3}, "partitions and replication are for creating", "create: true"),
        ({"partitions": 0, "create": True}, "partitions cannot be 0", "from 1"),
        ({"wait_seconds": True}, "wait_seconds cannot be True", "a whole number"),
        ({"first_batch": "x"}, "first_batch cannot be 'x'", "a whole number"),
        ({"options": "x"}, "options must be names with values", "options: {"),
        ({"options": {"x": None}}, "option 'x' must be text", "quotes"),
        ({"options": {"transactional.id": "x"}}, "option 'transactional.id' cannot", "fences"),
        ({"options": {"kafka.acks": "1"}}, "option 'acks' cannot be set", "needs all"),
        (
            {"options": {"ssl.truststore.location": "x"}},
            "option 'ssl.truststore.location' is of the Java client",
            "ssl.ca.location",
        ),
        (
            {"options": {"sasl.jaas.config": "x required"}},
            "option 'sasl.jaas.config' has no username",
            "sasl.username",
        ),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str, next_action: str) -> None:
    with pytest.raises(UsageError) as caught:
        KafkaSinkOptions.parse({**GOOD, **options})
    assert caught.value.message.startswith(f"kafka sink: {message}")
    assert next_action in caught.value.next_action


MARK = KafkaMark(
    query_id="6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11",
    sink="s" * 249,
    epoch=2**40,
    batch_id=2**53,
    written_by=7,
    attempt="a" * 32,
    rows=2**53,
    digest="d" * 32,
    range_digest=range_digest({"0": {"end": 5}}),
    topic_id="i" * 22,
    written_at_ms=1_700_000_000_000,
)


def test_a_mark_is_read_back_as_it_was_and_fits_into_the_group() -> None:
    assert KafkaMark.from_text(MARK.to_text(), "here") == MARK
    assert MARK.offset == 2**53 + 1
    assert len(MARK.to_text()) < 1024, "offset.metadata.max.bytes is 4096"
    fence = KafkaMark(query_id="q", sink="s", epoch=3)
    assert KafkaMark.from_text(fence.to_text(), "here") == fence
    assert (fence.offset, fence.holds(0)) == (0, False)


def test_records_of_the_ledger() -> None:
    value = MARK.to_text({"0": {"end": 5}}).encode()
    record = LedgerRecord.from_bytes(mark_key(MARK), value, "here")
    assert record == LedgerRecord(mark=MARK, offsets={"0": {"end": 5}}, is_fence=False)
    fence = LedgerRecord.from_bytes(fence_key(MARK), MARK.to_text().encode(), "here")
    assert fence is not None and fence.is_fence
    assert LedgerRecord.from_bytes(b"k", None, "here") is None
    later = KafkaMark(query_id=MARK.query_id, sink=MARK.sink, epoch=1, batch_id=2**53 + SLOTS)
    assert mark_key(later) == mark_key(MARK), "compaction keeps the newer one"


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '"x"', '{"holdfast":"1"}', '{"holdfast":1}', "[" * 100_000),
        '{"holdfast":1,"query":"q","sink":"s","epoch":1,"batch":"x"}',
    ],
)
def test_what_is_no_mark_is_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        KafkaMark.from_text(text, "here")


def test_a_newer_mark_is_said_to_be_so() -> None:
    with pytest.raises(NewerVersionError, match="version 2"):
        KafkaMark.from_text('{"holdfast":2}', "here")
    with pytest.raises(MalformedError):
        LedgerRecord.from_bytes(b"\xff", b"\xff", "here")


def test_no_broker_at_all() -> None:
    (port,) = free_ports(1)
    sink = KafkaSink.from_options({**GOOD, "servers": f"127.0.0.1:{port}", "wait_seconds": 1})
    with pytest.raises(UnreachableError, match="looking for topic 'orders-holdfast' failed"):
        sink.open("q", 1)


@pytest.mark.parametrize("name", ["sasl.pasword", "security.protocol"])
def test_a_setting_that_is_none_is_named_and_its_value_is_not(name: str) -> None:
    secret = "hunter2-hunter2"
    options = KafkaSinkOptions.parse({**GOOD, "options": {name: secret}})
    with pytest.raises(UsageError) as caught:
        KafkaSink(options).open("q", 1)
    told = f"{caught.value} {caught.value.subject} {caught.value.next_action}"
    assert name in told
    assert secret not in told and secret not in repr(options)
