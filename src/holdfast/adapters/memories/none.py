"""Sinks that remember nothing: every batch that comes again is written again."""

from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.fact import Absent


def no_memory(sink: str, why: str) -> SinkMemory:
    """The memory of a sink of which it is known that it has none."""
    absent = Absent(sink)
    return SinkMemory(
        sink=sink,
        kind="none",
        exists=None,
        key=absent,
        last=absent,
        skips="never",
        table_id=absent,
        notes=(why,),
    )
