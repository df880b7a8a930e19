"""When Spark's Java process has died, every call to it fails: say that, and not how."""

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JNetworkError
from pyspark.core.context import SparkContext

from holdfast.errors import EngineLostError


@contextmanager
def engine_alive() -> Iterator[None]:
    """Turn what py4j says of a dead Java process into an error of ours."""
    try:
        yield
    except (Py4JNetworkError, ConnectionError, EOFError) as error:
        raise EngineLostError(
            _what(error),
            subject="Spark",
            next_action="look whether the system killed it (memory?), then start again: "
            "nothing is lost",
        ) from error


def _what(error: BaseException) -> str:
    process = getattr(SparkContext._gateway, "proc", None)
    code = None if process is None else process.poll()
    if process is not None and code is None:
        return f"the connection to Spark's Java process (pid {process.pid}) broke: {error}"
    how = "" if code is None else f" by signal {-code}" if code < 0 else f" with exit code {code}"
    return f"Spark's Java process has ended{how}"
