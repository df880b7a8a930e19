"""The memory of our Kafka sink: the mark of the group, and the records of the ledger topic."""

from collections.abc import Mapping
from typing import Any, Final

from holdfast.adapters.memories.offset_texts import offset_texts
from holdfast.adapters.sinks.kafka.client import KafkaClient
from holdfast.adapters.sinks.kafka.ledger import KafkaLedger, read_kafka_ledger
from holdfast.adapters.sinks.kafka.mark import KafkaMark, LedgerRecord
from holdfast.adapters.sinks.kafka.options import KafkaSinkOptions
from holdfast.adapters.sinks.kafka.topics import KafkaTopics, Topic
from holdfast.core.evidence.sink_memory import (
    MarkedBatch,
    SinkMemory,
    Skips,
    missing_memory,
    newest_marks,
    other_writers,
)
from holdfast.core.fact import Absent, Fact, Known

WAIT_SECONDS: Final = 10
"""A look does not wait for brokers as long as a writer does."""


def read_kafka(
    options: Mapping[str, Any], query_id: str | None, *, ours: bool = True
) -> SinkMemory:
    """Read the ledger of a topic; raises HoldfastError where the brokers cannot be asked.

    `ours`: it is known that our sink writes here. Otherwise a topic without a ledger says that
    whoever writes keeps no memory: Spark's own Kafka sink has none.
    """
    given = {**options, "wait_seconds": WAIT_SECONDS}
    parsed = KafkaSinkOptions.parse(given)
    client = KafkaClient(parsed)
    topics = KafkaTopics(client, parsed)
    sink, skips = f"kafka {parsed.location}", _skips(ours)
    topic = None if parsed.topic is None else topics.find(parsed.topic)
    if topics.find(parsed.ledger_topic) is None:
        there = "the topic is there" if topic is not None else "there is no such topic"
        note = f"{there}, and no ledger {parsed.ledger_topic!r} is: other writers keep no memory"
        return missing_memory(sink, "kafka", skips, note)
    mark = None if query_id is None else KafkaLedger(client, parsed).last(query_id)
    records = [each for each in read_kafka_ledger(given) if each.mark.sink == parsed.name]
    return _memory(sink, query_id, topic, mark, records)


def _skips(ours: bool) -> Skips:
    return "checked" if ours else "never"


def _memory(
    sink: str,
    query_id: str | None,
    topic: Topic | None,
    mark: KafkaMark | None,
    records: list[LedgerRecord],
) -> SinkMemory:
    origin = f"{sink}: ledger"
    last = None if mark is None else mark.batch_id
    own = [each for each in reversed(records) if each.mark.query_id == query_id]
    # What lies above the standing mark was taken back by whoever wrote the mark anew.
    kept = [each for each in own if last is not None and (each.mark.batch_id or 0) <= last]
    batches = newest_marks(_mark(each) for each in kept)
    others = ((e.mark.query_id, e.mark.batch_id) for e in records if e.mark.query_id != query_id)
    return SinkMemory(
        sink=sink,
        kind="kafka",
        exists=topic is not None,
        key=Absent(origin) if mark is None else Known(mark.query_id, origin),
        last=Absent(origin) if last is None else Known(last, origin),
        skips="checked",
        table_id=_topic_id(sink, topic),
        others=other_writers(others),
        batches=batches,
        oldest_known=batches[-1].batch if batches else None,
        notes=_notes(topic, mark),
    )


def _topic_id(sink: str, topic: Topic | None) -> Fact[str]:
    if topic is None or not topic.topic_id:
        return Absent(sink)
    return Known(topic.topic_id, sink)


def _notes(topic: Topic | None, mark: KafkaMark | None) -> tuple[str, ...]:
    if mark is None or not mark.topic_id:
        return ()
    if topic is None:
        return ("the ledger is there, and the topic of its last batch is gone",)
    if topic.topic_id and topic.topic_id != mark.topic_id:
        return ("the topic was deleted and made again since its last batch: it is another one",)
    return ()


def _mark(record: LedgerRecord) -> MarkedBatch:
    assert record.mark.batch_id is not None
    start, end = offset_texts(record.offsets)
    return MarkedBatch(
        batch=record.mark.batch_id,
        rows=record.mark.rows,
        at_ms=record.mark.written_at_ms,
        where=f"ledger record of batch {record.mark.batch_id} by epoch {record.mark.written_by}",
        start=start,
        end=end,
    )
