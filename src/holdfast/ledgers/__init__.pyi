# What type checkers see of the ledgers; __init__.py loads these names when they are asked for.
from holdfast.adapters.memories.opening import read_memory as read_memory
from holdfast.core.evidence.sink_memory import SinkMemory as SinkMemory
from holdfast.core.evidence.two_ledgers import TwoLedgers as TwoLedgers
from holdfast.core.evidence.two_ledgers import differences as differences
from holdfast.core.evidence.two_ledgers import side_by_side as side_by_side
