"""A Delta table.

Appending is left to Delta's own streaming sink, which remembers the batches of each query by the
query's id.
"""

from collections.abc import Mapping
from typing import Any

from holdfast.adapters.sinks.native_options import native_sink
from holdfast.core.running.ports import NativeSink


def open_sink(options: Mapping[str, Any]) -> NativeSink:
    """The entry point `delta` of the group `holdfast.sinks`."""
    return native_sink("delta", options, spark_format="delta")
