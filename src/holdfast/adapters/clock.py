"""The one place that reads the clock."""

import time


def now_ms() -> int:
    """Milliseconds since 1970, UTC, as Spark writes them."""
    return time.time_ns() // 1_000_000
