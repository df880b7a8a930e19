"""Folders for databases."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from scripts.servers.kafka import Broker, restartable_broker
from scripts.servers.loopback import UnavailableError

from tests.sinks.kafka_topics import SERVERS


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """A folder in memory where there is one, for tests that make hundreds of databases.

    The sink asks the disk to sync each commit; these tests are not about power cuts.
    """
    shared = "/dev/shm"
    with TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def kafka() -> Iterator[Broker]:
    """A broker for all tests; other processes find it in the environment."""
    try:
        with restartable_broker(partitions=2) as running:
            os.environ[SERVERS] = running.address
            yield running
            del os.environ[SERVERS]
    except UnavailableError as error:
        pytest.skip(str(error))
