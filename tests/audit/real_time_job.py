"""A query in real-time mode, from Kafka to Kafka, as people write it.

    python real_time_job.py WORK

The input is fed piece by piece, the next one when the one before is committed, and the query is
stopped once all of it is: a query in real-time mode goes on for ever, with empty batches.

What is wrong with it: rows leave while a batch runs, and where it ends is written down only then.
A batch that dies is forgotten, and its rows leave once more.
"""

import json
import os
import sys
import time
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

PIECES, ROWS_A_PIECE = 3, 20
ROWS = PIECES * ROWS_A_PIECE
BATCH = "2 seconds"
WITHIN_S = 60
LOOK_S = 0.05


class Feed:
    """The input topic: one partition, in which record n holds the number n."""

    def __init__(self, servers: str, topics: tuple[str, str]) -> None:
        """Make the topics, where they are not there yet."""
        self._servers = {"bootstrap.servers": servers}
        self._topic = topics[0]
        admin = AdminClient(self._servers)
        there = admin.list_topics(timeout=WITHIN_S).topics
        wanted = [NewTopic(topic, num_partitions=1) for topic in topics if topic not in there]
        for made in admin.create_topics(wanted).values() if wanted else ():
            made.result(WITHIN_S)

    def fill(self, rows: int) -> None:
        """Let it hold so many records; a life before this one may have sent some of them."""
        producer = Producer({**self._servers, "enable.idempotence": True})
        for number in range(self._there(), rows):
            producer.produce(self._topic, key=str(number % 7), value=str(number))
        assert producer.flush(WITHIN_S) == 0

    def _there(self) -> int:
        reader = Consumer({**self._servers, "group.id": "nobody"})
        deadline = time.monotonic() + WITHIN_S
        while True:
            try:
                _, end = reader.get_watermark_offsets(TopicPartition(self._topic, 0), WITHIN_S)
            except KafkaException:
                # The leader of a topic that was made just now may not know it yet.
                if time.monotonic() > deadline:
                    raise
                time.sleep(LOOK_S)
            else:
                reader.close()
                return int(end)


def committed(checkpoint: Path, topic: str) -> int:
    """Records of the input that are behind the newest commit."""
    commits = checkpoint / "commits"
    names = [entry.name for entry in commits.iterdir()] if commits.is_dir() else []
    newest = max((int(name) for name in names if name.isdigit()), default=None)
    if newest is None:
        return 0
    source = (checkpoint / "offsets" / str(newest)).read_text().splitlines()[-1]
    return int(json.loads(source)[topic]["0"])


def due(done: int) -> int:
    """Records that the input has to hold when so many are committed: one piece more, in whole."""
    return min(ROWS, (done // ROWS_A_PIECE + 1) * ROWS_A_PIECE)


def start(checkpoint: Path, source: str, target: str) -> StreamingQuery:
    settings = {
        "spark.jars": os.environ["JARS"],
        "spark.ui.enabled": "false",
        "spark.sql.streaming.realTimeMode.minBatchDuration": "1000",
        # Not less: in this mode old plans go before the new one is there, and a start needs two.
        "spark.sql.streaming.minBatchesToRetain": "2",
    }
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    servers = os.environ["HOLDFAST_PROXY"]
    records = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    records = records.option("subscribe", source).option("startingOffsets", "earliest").load()
    writer = records.selectExpr("key", "value").writeStream.format("kafka").outputMode("update")
    writer = writer.option("kafka.bootstrap.servers", servers).option("topic", target)
    writer = writer.option("checkpointLocation", str(checkpoint))
    return writer.trigger(realTime=BATCH).start()


def main(work: Path) -> None:
    target = os.environ["HOLDFAST_RUN"]
    source = f"{target}-in"
    checkpoint = work / "checkpoint"
    feed = Feed(os.environ["KAFKA_SERVERS"], (source, target))
    feed.fill(fed := due(committed(checkpoint, source)))
    query = start(checkpoint, source, target)
    while (done := committed(checkpoint, source)) < ROWS:
        if not query.isActive:
            query.awaitTermination()  # raises what ended it
        if due(done) > fed:
            feed.fill(fed := due(done))
        time.sleep(LOOK_S)
    query.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
