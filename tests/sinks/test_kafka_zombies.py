"""Writers of the Kafka sink that wake after they were overtaken; 200 by scripts/soak."""

import random
from pathlib import Path

import pytest
from scripts.servers.kafka import Broker
from scripts.soak.kafka_trials import PausedSink, trial

from holdfast.testing.writers import Writers
from tests.sinks.kafka_topics import LONG

pytestmark = [LONG, pytest.mark.server, pytest.mark.timeout(600)]
TRIALS = 10


def test_nothing_of_a_zombie_is_ever_seen(kafka: Broker, tmp_path: Path) -> None:
    candidate, chance = PausedSink(), random.Random(7)
    with Writers(candidate, tmp_path / "logs") as writers:
        paused = [trial(writers, candidate, tmp_path / str(n), chance) for n in range(TRIALS)]
    assert len(paused) == TRIALS and all(paused)
