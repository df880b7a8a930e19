"""A writer that was paused and wakes up after its successor has opened writes nothing."""

import random
from collections.abc import Iterator

import pytest
from scripts.soak.zombies import trial

from tests.sinks.servers import mysql_url, postgres_url

pytestmark = pytest.mark.server
TRIALS = 10


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    with postgres_url() as postgres, mysql_url() as mysql:
        yield {"postgres": postgres, "mysql": mysql}


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
@pytest.mark.parametrize("kind", ["postgres", "mysql"])
def test_a_paused_writer_is_fenced_wherever_it_stands(urls: dict[str, str], kind: str) -> None:
    dice = random.Random(3)
    for number in range(TRIALS):
        trial(urls[kind], kind, number, dice)
