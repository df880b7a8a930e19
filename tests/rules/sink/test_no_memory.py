"""Cases of HF491."""

from holdfast.core.evidence.around import Remembered
from holdfast.core.fact import Known
from tests.rules.made_up import LOCATION, QUERY, evidence, found, judged, memory

NONE = memory(None, kind="none", skips="never")


def records(last_batch: int) -> Known[Remembered]:
    known = Remembered(
        job=Known("orders", "r"),
        query_id=Known(QUERY, "r"),
        location=Known(LOCATION, "r"),
        is_elsewhere=False,
        last_batch=last_batch,
        runs=1,
    )
    return Known(known, "_holdfast/orders")


def test_without_memory_and_without_records_it_is_unknown() -> None:
    assert found(evidence(sinks=(NONE,)), "HF491")
    assert judged(evidence(sinks=(NONE,))).answer == "unknown"


def test_our_records_confirm_the_newest_commit() -> None:
    assert not found(evidence(sinks=(NONE,), remembered=records(7)), "HF491")
    assert found(evidence(sinks=(NONE,), remembered=records(5)), "HF491")


def test_a_sink_that_remembers_confirms_itself() -> None:
    assert not found(evidence(), "HF491")
