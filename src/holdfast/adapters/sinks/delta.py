"""A Delta table.

Appending is left to Delta's own streaming sink, which remembers the batches of each query by the
query's id, unless the options ask for a ledger. That, and upserting, is ours (delta_ledger.py).
"""

from collections.abc import Mapping
from typing import Any

from holdfast.adapters.sinks.delta_ledger import DeltaLedgerSink
from holdfast.adapters.sinks.delta_options import DeltaSinkOptions
from holdfast.adapters.sinks.native_options import native_sink
from holdfast.adapters.sinks.option_values import true_or_false, wrong
from holdfast.core.running.ports import BatchSink, NativeSink


def open_sink(options: Mapping[str, Any]) -> NativeSink | BatchSink:
    """The entry point `delta` of the group `holdfast.sinks`."""
    mode = options.get("mode")
    given = options.get("ledger")
    ledger = given is not None and true_or_false("delta", "ledger", given)
    if mode not in (None, "append") or ledger:
        return DeltaLedgerSink(DeltaSinkOptions.parse({"mode": "append", **options}))
    ours = ("mode", "create", "ledger", "merge_schema")
    rest = {name: value for name, value in options.items() if name not in ours}
    for name in ("key", "version", "tombstone", "columns"):
        if rest.pop(name, None):
            raise wrong(
                "delta", f"mode append takes no {name}", f"remove {name}, or use mode: upsert"
            )
    merges = options.get("merge_schema")
    if merges is not None and true_or_false("delta", "merge_schema", merges):
        rest["mergeSchema"] = "true"
    return native_sink("delta", rest, spark_format="delta")
