"""Cases of HF444."""

from holdfast.core.evidence.sink_memory import MarkedBatch
from tests.rules.made_up import evidence, found, in_flight, judged, memory


def test_a_sink_that_lacks_finished_batches_is_unsafe() -> None:
    given = evidence(sinks=(memory(4),))
    assert "batch 5" in found(given, "HF444")[0].message
    assert judged(given).answer == "unsafe"


def test_a_table_that_is_gone_or_new_is_unsafe() -> None:
    assert judged(evidence(sinks=(memory(None),))).answer == "unsafe"
    gone = evidence(sinks=(memory(None, exists=False),))
    assert "is not there" in found(gone, "HF444")[0].message


def test_one_missing_in_the_middle_is_found() -> None:
    marks = tuple(MarkedBatch(batch=n, rows=1, at_ms=None, where="") for n in (7, 6, 4, 3))
    given = evidence(sinks=(memory(7, batches=marks, oldest_known=3),))
    assert "batch 5" in found(given, "HF444")[0].message


def test_what_is_not_listed_is_not_called_missing() -> None:
    assert not found(evidence(), "HF444")
    assert not found(in_flight(), "HF444"), "the batch in flight need not be there"


def test_marks_of_iceberg_may_have_expired() -> None:
    given = evidence(sinks=(memory(None, kind="iceberg"),))
    assert found(given, "HF444")[0].weight == "unknown"
