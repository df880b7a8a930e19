"""One Spark session, the same rows by turns: Spark's own Kafka sink and ours. Prints JSON."""

import json
import sys
import time
import uuid
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import SparkSession

import holdfast
from holdfast.adapters.sinks.kafka.client import KafkaClient
from holdfast.adapters.sinks.kafka.ledger import KafkaLedger
from holdfast.adapters.sinks.kafka.options import KafkaSinkOptions
from holdfast.adapters.sinks.kafka.records import RecordDigest
from holdfast.adapters.sinks.kafka.session import KafkaSession
from holdfast.adapters.spark.columns import chunks_of

PARTITIONS = 4
KEY, VALUE = "CAST(id AS STRING)", "to_json(struct(*))"


def main(place: Path, servers: str, jars: str, rounds: int, rows: int) -> None:
    """Run both ways in every round, after one of each that is not counted."""
    builder = SparkSession.builder.master("local[2]").config("spark.jars", jars)
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    measured: dict[str, list[float]] = {"spark": [], "holdfast": []}
    for number in range(rounds + 1):
        # The order turns, so that neither way always comes second.
        for way in sorted(measured, reverse=number % 2 == 1):
            seconds = once(spark, place, servers, f"{way}-{number}", rows)
            if number:
                measured[way].append(seconds)
    parts = parts_of(spark, place, servers)
    spark.stop()
    print(json.dumps({**measured, "parts": parts}))


def once(spark: SparkSession, place: Path, servers: str, topic: str, rows: int) -> float:
    """Read every file, one a batch, into a new topic; time it, then compare what arrived."""
    make_topic(servers, topic)
    schema = spark.read.parquet(str(place / "in")).schema
    frame = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    selected = frame.parquet(str(place / "in")).selectExpr(f"{KEY} AS key", f"{VALUE} AS value")
    writer = selected.writeStream.trigger(availableNow=True).queryName(topic)
    checkpoint = str(place / "checkpoints" / topic)
    query: Any
    began = time.perf_counter()
    if topic.startswith("spark"):
        writer = writer.format("kafka").option("kafka.bootstrap.servers", servers)
        query = writer.option("topic", topic).option("checkpointLocation", checkpoint).start()
    else:
        sink = holdfast.sink("kafka", servers=servers, topic=topic, create=True)
        writer = writer.foreachBatch(sink)
        query = holdfast.start(writer, name=topic, checkpoint=checkpoint, tell=lambda e: None)
    query.awaitTermination()
    seconds = time.perf_counter() - began
    assert sum(progress["numInputRows"] for progress in query.recentProgress) == rows
    arrived = ids(servers, topic)
    assert arrived == Counter(range(rows)), (topic, sum(arrived.values()), len(arrived))
    drop_topic(servers, topic, f"{topic}-holdfast")
    return seconds


def parts_of(spark: SparkSession, place: Path, servers: str) -> dict[str, float]:
    """Microseconds a row of each thing that the driver does, one after the other."""
    frame = spark.read.parquet(str(place / "in"))
    began = time.perf_counter()
    frame.selectExpr(f"{KEY} AS key", f"{VALUE} AS value").write.format("noop").mode(
        "overwrite"
    ).save()
    computed = time.perf_counter() - began
    began = time.perf_counter()
    chunks = list(
        chunks_of(frame.selectExpr(*(f"CAST({each} AS BINARY)" for each in (KEY, VALUE))))
    )
    handed = time.perf_counter() - began
    records = [pair for keys, values in chunks for pair in zip(keys, values, strict=True)]
    digest = RecordDigest()
    began = time.perf_counter()
    for key, value in records:
        digest.add(key, value, None)
    digested = time.perf_counter() - began
    topic = f"t-{uuid.uuid4().hex}"
    make_topic(servers, topic)
    options = KafkaSinkOptions(servers=servers, topic=topic)
    client = KafkaClient(options)
    session = KafkaSession(client, KafkaLedger(client, options), uuid.uuid4().hex, topic)
    session._initialise()
    session.begin()
    began = time.perf_counter()
    session.send((topic, key, value, None, -1) for key, value in records)
    sent = time.perf_counter() - began - digested
    session.abort()
    count = len(records) / 1e6
    return {
        "compute": computed / count,
        "compute and hand over": handed / count,
        "digest": digested / count,
        "send": sent / count,
    }


def make_topic(servers: str, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result(30)


def drop_topic(servers: str, *topics: str) -> None:
    admin = AdminClient({"bootstrap.servers": servers})
    admin.delete_topics(list(topics))


def ids(servers: str, topic: str) -> Counter[int]:
    """The id of every committed record, with how often it is there."""
    settings = {
        "bootstrap.servers": servers,
        "group.id": "benchmark",
        "isolation.level": "read_committed",
        "enable.partition.eof": True,
    }
    found: Counter[int] = Counter()
    with closing(Consumer(settings)) as consumer:
        waiting = set(range(PARTITIONS))
        consumer.assign([TopicPartition(topic, number, 0) for number in waiting])
        while waiting:
            for message in consumer.consume(10_000, timeout=0.1):
                error = message.error()
                if error is None:
                    found[int(message.key() or b"")] += 1
                elif error.code() == KafkaError._PARTITION_EOF:
                    waiting.discard(message.partition() or 0)
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
