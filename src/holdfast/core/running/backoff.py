"""How long to wait before a failed query is started again."""

from typing import Final

FIRST_WAIT_S: Final = 1.0
WAIT_S_MAX: Final = 60.0
"""A broker that comes back is noticed within a minute; Kubernetes waits up to five."""

RESTARTS_ONCE_MAX: Final = 3
"""With --once somebody waits for the end: so many attempts in a row without a new batch."""


def wait_s(failures: int) -> float:
    """Seconds after so many failures in a row without a new batch in between, from 1 on."""
    return float(min(WAIT_S_MAX, FIRST_WAIT_S * 2.0 ** (min(failures, 16) - 1)))
