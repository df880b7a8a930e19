"""The public door to what sinks remember, and to both ledgers side by side."""

from holdfast.lazy_names import lazy_names as _lazy_names

__all__ = ["SinkMemory", "TwoLedgers", "differences", "read_memory", "side_by_side"]

__getattr__ = _lazy_names(
    __name__,
    {
        "SinkMemory": "holdfast.core.evidence.sink_memory",
        "TwoLedgers": "holdfast.core.evidence.two_ledgers",
        "differences": "holdfast.core.evidence.two_ledgers",
        "read_memory": "holdfast.adapters.memories.opening",
        "side_by_side": "holdfast.core.evidence.two_ledgers",
    },
)
