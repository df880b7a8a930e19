"""Cases of HF447."""

from holdfast.core.evidence.sink_memory import MarkedBatch, SinkMemory
from tests.rules.made_up import evidence, found, in_flight, memory


def remembered(at_ms: int) -> SinkMemory:
    mark = MarkedBatch(batch=6, rows=1, at_ms=at_ms, where="version 6")
    return memory(6, forgets_after_ms=1_000, batches=(mark,))


def test_a_mark_that_is_too_old_is_forgotten() -> None:
    given = in_flight(sinks=(remembered(0),))
    assert found(given, "HF447")[0].weight == "unsafe"


def test_a_fresh_mark_or_nothing_in_flight_is_a_note() -> None:
    now = evidence().taken_at_ms
    assert found(in_flight(sinks=(remembered(now),)), "HF447")[0].weight == "note"
    assert found(evidence(sinks=(remembered(0),)), "HF447")[0].weight == "note"


def test_most_tables_never_forget() -> None:
    assert not found(evidence(), "HF447")
