"""Steps of a sink as files: an audit that watches a job's files can stop it between two of them.

Only where HOLDFAST_STEPS names a folder, which nothing but an audit sets. With HOLDFAST_STEPS_WAIT
each step waits until its file is taken away, for watchers that cannot hold the job themselves.
"""

import itertools
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

FOLDER = "HOLDFAST_STEPS"
WAIT = "HOLDFAST_STEPS_WAIT"
_WAIT_S = 60.0
_POLL_S = 0.002

Announce = Callable[[str], None]


def announcer(environ: Mapping[str, str]) -> Announce | None:
    """What a sink calls at each step; None where nobody watches."""
    if FOLDER not in environ:
        return None
    folder, waits = Path(environ[FOLDER]), bool(environ.get(WAIT))
    numbers = itertools.count(1)

    def announce(step: str) -> None:
        file = folder / f"{os.getpid()}-{next(numbers)}-{step}"
        file.touch()
        deadline = time.monotonic() + _WAIT_S
        while waits and file.exists() and time.monotonic() < deadline:
            time.sleep(_POLL_S)

    return announce
