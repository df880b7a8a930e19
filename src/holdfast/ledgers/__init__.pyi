# What type checkers see of the ledgers; __init__.py loads these names when they are asked for.
from holdfast.adapters.memories.opening import read_memory
from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.evidence.two_ledgers import TwoLedgers, differences, side_by_side

__all__ = ["SinkMemory", "TwoLedgers", "differences", "read_memory", "side_by_side"]
