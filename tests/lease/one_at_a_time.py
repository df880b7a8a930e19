"""moto's S3 server, one request at a time: run as a module with -H <host> -p <port>.

moto looks whether an object is there and then puts it, in two steps and with many threads, so that
now and then two conditional puts both succeed. S3 does not do that, and a race needs a real judge.
"""

import sys
import threading
from collections.abc import Iterable
from typing import Any

import moto.server

_LOCK = threading.Lock()


class OneAtATime(moto.server.DomainDispatcherApplication):
    """The whole answer is made before the next request is looked at."""

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with _LOCK:
            return list(super().__call__(environ, start_response))


if __name__ == "__main__":
    moto.server.DomainDispatcherApplication = OneAtATime  # type: ignore[misc]
    # Change threads as often as can be: what is not atomic shows.
    sys.setswitchinterval(1e-6)
    moto.server.main(sys.argv[1:])
