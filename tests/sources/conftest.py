"""A real broker for the tests of Kafka sources."""

from collections.abc import Iterator

import pytest
from scripts.servers.kafka import broker
from scripts.servers.loopback import UnavailableError


@pytest.fixture(scope="session")
def servers() -> Iterator[str]:
    """The address of a broker for all tests."""
    try:
        with broker(partitions=2) as address:
            yield address
    except UnavailableError as error:
        pytest.skip(str(error))
