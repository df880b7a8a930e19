"""A program that goes about its checkpoint as Spark does, and writes its batches to a topic.

python little_kafka_job.py CHECKPOINT append|once SERVERS TOPIC

`append` sends every batch that has no commit; `once` sends records and the mark of the batch, an
offset of a group of its own, in one transaction.
"""

import json
import sys
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from little_job import BATCHES, put

ROWS = 10
WITHIN_S = 60


class Writer:
    """Sends batches."""

    def __init__(self, mode: str, servers: str, topic: str) -> None:
        self.topic = topic
        self.once = mode == "once"
        settings: dict[str, Any] = {"bootstrap.servers": servers, "linger.ms": 50}
        group = {"group.id": f"{topic}-ledger", "bootstrap.servers": servers}
        if self.once:
            settings["transactional.id"] = topic
        self.producer = Producer(settings)
        self.ledger = Consumer(group)
        if self.once:
            self.producer.init_transactions(WITHIN_S)

    def last(self) -> int:
        mark = TopicPartition(self.topic, 0)
        return int(self.ledger.committed([mark], WITHIN_S)[0].offset) - 1

    def write(self, batch: int) -> None:
        if self.once:
            if self.last() >= batch:
                return
            self.producer.begin_transaction()
        for n in range(ROWS):
            self.producer.produce(self.topic, key=str(batch), value=str(n))
        if not self.once:
            assert self.producer.flush(WITHIN_S) == 0
            return
        mark = TopicPartition(self.topic, 0, batch + 1)
        group = self.ledger.consumer_group_metadata()
        self.producer.send_offsets_to_transaction([mark], group, WITHIN_S)
        self.producer.commit_transaction(WITHIN_S)


def main(checkpoint: Path, mode: str, servers: str, topic: str) -> None:
    put(checkpoint / "metadata", json.dumps({"id": "4a1f0f3e-8f9a-4b4f-9f35-0d3c5ce8f4aa"}))
    writer = Writer(mode, servers, topic)
    for batch in range(BATCHES):
        if (checkpoint / "commits" / str(batch)).exists():
            continue
        plan = {"batchWatermarkMs": 0, "batchTimestampMs": batch, "conf": {}}
        source = {"logOffset": batch}
        put(checkpoint / "offsets" / str(batch), f"v1\n{json.dumps(plan)}\n{json.dumps(source)}")
        writer.write(batch)
        put(checkpoint / "commits" / str(batch), 'v1\n{"nextBatchWatermarkMs":0}')


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
