"""The server that takes chunks."""

import os
from collections.abc import Iterator

import pytest

from tests.own.chunk_server import serving

PORT = "HOLDFAST_TEST_CHUNK_SERVER"


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    with serving() as found:
        os.environ[PORT] = str(found)  # for the writers, which are processes of their own
        yield found
        del os.environ[PORT]
