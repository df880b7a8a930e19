"""The Kafka sink runs what everybody's sinks run, against a real broker."""

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.sinks.kafka.sink import KafkaSink
from holdfast.testing import SinkConformance
from tests.sinks.kafka_topics import consumed, make_sink, topic_of

pytestmark = [pytest.mark.server, pytest.mark.timeout(600), pytest.mark.usefixtures("kafka")]


class TestKafka(SinkConformance):
    def open_sink(self, folder: Path) -> KafkaSink:
        return make_sink(topic_of(folder), value="json", key=["id"])

    def rows(self, batch_id: int) -> list[tuple[int, int, str]]:
        """Fewer than usual: every row is a kill, and every kill some seconds of a broker."""
        rows = [(key, batch_id, f"{batch_id}/{key}") for key in (batch_id, batch_id + 1)]
        return [*rows, rows[0]]

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        rows = []
        for key, value, _ in consumed(topic_of(folder)):
            row = {**json.loads(key or b""), **json.loads(value or b"")}
            rows.append((row["id"], row["version"], row["text"]))
        return rows
