"""A topic of a real broker, as a source of a case."""

import json
import time
from typing import Any

from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

WAIT_S = 30


class Topic:
    """One topic that belongs to one case."""

    def __init__(self, address: str, name: str, partitions: int = 2) -> None:
        self.address, self.name, self.partitions = address, name, partitions
        self._admin = AdminClient({"bootstrap.servers": address})
        self.delete()
        self.create()

    def options(self) -> dict[str, str]:
        return {
            "kafka.bootstrap.servers": self.address,
            "subscribe": self.name,
            "startingOffsets": "earliest",
        }

    def spec(self) -> str:
        return f"kafka:{self.address}/{self.name}"

    def create(self) -> None:
        made = self._admin.create_topics([NewTopic(self.name, self.partitions, 1)])
        made[self.name].result(WAIT_S)
        self._until(present=True)

    def delete(self) -> None:
        if self.name not in self._admin.list_topics(timeout=WAIT_S).topics:
            return
        self._admin.delete_topics([self.name])[self.name].result(WAIT_S)
        self._until(present=False)

    def _until(self, *, present: bool) -> None:
        for _ in range(100):
            if (self.name in self._admin.list_topics(timeout=WAIT_S).topics) is present:
                return
            time.sleep(0.1)
        raise AssertionError(f"topic {self.name} did not come or go")

    def produce(self, rows: list[dict[str, Any]]) -> None:
        producer = Producer({"bootstrap.servers": self.address})
        for row in rows:
            value = json.dumps(row).encode()
            producer.produce(self.name, value, partition=row["id"] % self.partitions)
        producer.flush(WAIT_S)

    def cut(self, before: int) -> None:
        """Remove records below an offset, as retention does."""
        ends = [TopicPartition(self.name, part, before) for part in range(self.partitions)]
        for done in self._admin.delete_records(ends).values():
            done.result(WAIT_S)

    def add_partition(self) -> None:
        self.partitions += 1
        grown = self._admin.create_partitions([NewPartitions(self.name, self.partitions)])
        grown[self.name].result(WAIT_S)
