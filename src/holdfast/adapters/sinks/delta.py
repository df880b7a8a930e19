"""A Delta table.

Appending is left to Delta's own streaming sink, which remembers the batches of each query by the
query's id. Upserting is ours (delta_upsert.py).
"""

from collections.abc import Mapping
from typing import Any

from holdfast.adapters.sinks.delta_options import DeltaSinkOptions
from holdfast.adapters.sinks.delta_upsert import DeltaUpsertSink
from holdfast.adapters.sinks.native_options import native_sink
from holdfast.adapters.sinks.option_values import wrong
from holdfast.core.running.ports import BatchSink, NativeSink


def open_sink(options: Mapping[str, Any]) -> NativeSink | BatchSink:
    """The entry point `delta` of the group `holdfast.sinks`."""
    if options.get("mode") not in (None, "append"):
        return DeltaUpsertSink(DeltaSinkOptions.parse(options))
    rest = {name: value for name, value in options.items() if name not in ("mode", "create")}
    for name in ("key", "version", "columns"):
        if rest.pop(name, None):
            raise wrong(
                "delta", f"mode append takes no {name}", f"remove {name}, or use mode: upsert"
            )
    return native_sink("delta", rest, spark_format="delta")
