"""Checkpoints of queries on a real Kafka broker, which make.py starts."""

from __future__ import annotations

import os

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import DataFrame
from registry import NEWEST, case
from stage import Stage

BROKER = os.environ.get("HOLDFAST_GOLDEN_KAFKA", "")
PARTITIONS = 3
NO_CONNECTOR = "no matching Kafka connector jar in scripts/jars; made on "


def topic(name: str, partitions: int = PARTITIONS) -> None:
    """Create a topic and wait for it."""
    admin = AdminClient({"bootstrap.servers": BROKER})
    for done in admin.create_topics([NewTopic(name, partitions, 1)]).values():
        done.result(30)


def produce(name: str, first: int, count: int, partitions: int = PARTITIONS) -> None:
    """Records that go round the partitions, so that every partition moves."""
    producer = Producer({"bootstrap.servers": BROKER})
    for number in range(first, first + count):
        producer.produce(name, str(number).encode(), partition=number % partitions)
    producer.flush(30)


def records(stage: Stage, name: str, **options: str) -> DataFrame:
    reader = stage.spark.readStream.format("kafka").option("kafka.bootstrap.servers", BROKER)
    reader = reader.option("subscribe", name).option("startingOffsets", "earliest")
    return reader.options(**options).load()


@case("kafka", process="kafka", only=NEWEST, why_only=NO_CONNECTOR)
def kafka(stage: Stage) -> None:
    """Two runs over one topic of three partitions."""
    topic("orders")
    for first in (0, 10):
        produce("orders", first, 10)
        stage.drain(records(stage, "orders"))


@case("kafka_two_topics", process="kafka", only=NEWEST, why_only=NO_CONNECTOR)
def kafka_two_topics(stage: Stage) -> None:
    """One source with two topics, one of which has no records."""
    topic("payments")
    topic("refunds")
    produce("payments", 0, 5)
    stage.drain(records(stage, "payments,refunds"))


@case("async_progress_kafka", process="kafka", only=NEWEST, why_only=NO_CONNECTOR)
def async_progress_kafka(stage: Stage) -> None:
    """Asynchronous tracking from Kafka to Kafka, stopped by hand: gaps between log entries."""
    topic("fast")
    topic("copied")
    produce("fast", 0, 60)
    source = records(stage, "fast", maxOffsetsPerTrigger="6").selectExpr("value")
    writer = stage.writer(source, "kafka").option("kafka.bootstrap.servers", BROKER)
    writer = writer.option("topic", "copied").option("asyncProgressTrackingEnabled", "true")
    writer = writer.option("asyncProgressTrackingCheckpointIntervalMs", "1500")
    writer = writer.trigger(processingTime="500 milliseconds")
    stage.run_until(writer, lambda progress: len(progress) >= 8)
    stage.note = "asynchronous progress tracking: not every finished batch is in the logs"


REAL_TIME = {"spark.sql.streaming.realTimeMode.minBatchDuration": "1000"}
NO_REAL_TIME = "real-time mode reads Kafka: " + NO_CONNECTOR


@case(
    "real_time", since=(4, 1), process="kafka", only=NEWEST, why_only=NO_REAL_TIME, conf=REAL_TIME
)
def real_time(stage: Stage) -> None:
    """Real-time mode: batches as long as the trigger says, offsets written at their end.

    Two partitions, because every partition holds a task slot for the whole batch: with three
    partitions and two slots Spark 4.2 reads two of them and never comes to the third.
    """
    topic("live", partitions=2)
    topic("answers")
    source = records(stage, "live").selectExpr("value")
    writer = stage.writer(source, "kafka", mode="update")
    writer = writer.option("kafka.bootstrap.servers", BROKER).option("topic", "answers")
    produce("live", 0, 8, partitions=2)
    stage.run_until(writer.trigger(realTime="5 seconds"), lambda progress: len(progress) >= 2)
    stage.note = "real-time mode, stopped by hand during the batch after the last progress event"
