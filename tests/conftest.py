"""What holds for every test."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from scripts.servers.kafka import Broker, restartable_broker
from scripts.servers.loopback import UnavailableError

# Machines are noisy: no test may fail because it was slow.
settings.register_profile("holdfast", deadline=None)
settings.load_profile("holdfast")

KAFKA = "HOLDFAST_TEST_KAFKA"
"""The variable by which tests/sinks/kafka_topics.py finds the broker."""

LONGEST_FIRST = (
    "tests/running/test_pipeline.py",
    "tests/running/test_lake.py",
    "tests/audit/test_declared.py",
    "tests/sinks/test_delta_upsert.py",
    "tests/sinks/test_postgres_bulk.py",
)
"""Files that take minutes each. Begun last, one of them would run alone while other cores wait."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files in the order in which they are best begun; within a file nothing changes."""
    starts_spark = {item.path for item in items if item.get_closest_marker("spark")}

    def rank(item: pytest.Item) -> int:
        name = item.nodeid.partition("::")[0]
        if name in LONGEST_FIRST:
            return LONGEST_FIRST.index(name)
        return len(LONGEST_FIRST) + (item.path not in starts_spark)

    items.sort(key=rank)


@pytest.fixture(scope="session")
def kafka() -> Iterator[Broker]:
    """One broker for all tests of a process; processes that they start find it by a variable."""
    try:
        with restartable_broker(partitions=2) as running:
            os.environ[KAFKA] = running.address
            yield running
            del os.environ[KAFKA]
    except UnavailableError as error:
        pytest.skip(str(error))
