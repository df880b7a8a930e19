"""When Spark's Java process has died, every call to it fails: say that, and not how."""

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JNetworkError

from holdfast.errors import EngineLostError


@contextmanager
def engine_alive() -> Iterator[None]:
    """Turn what py4j says of a dead Java process into an error of ours."""
    try:
        yield
    except (Py4JNetworkError, ConnectionError, EOFError, BrokenPipeError) as error:
        raise EngineLostError(
            "Spark's Java process has ended",
            subject="Spark",
            next_action="look whether the system killed it (memory?), then start again: "
            "nothing is lost",
        ) from error
