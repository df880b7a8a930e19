"""Cases of HF421."""

from holdfast.core.fact import Known
from tests.rules.made_up import commit, evidence, found, in_flight, judged, log, operator


def test_later_state_is_unsafe_in_format_1() -> None:
    given = evidence(operators=(operator(newest_version=12),))
    assert found(given, "HF421")[0].weight == "unsafe"
    assert judged(given).answer == "unsafe"


def test_format_2_passes_over_it() -> None:
    given = evidence(
        operators=(operator(newest_version=12),), commit=Known(commit(7, ids=True), "c")
    )
    assert found(given, "HF421")[0].weight == "note"


def test_state_without_any_plan_is_later_state() -> None:
    given = evidence(operators=(operator(newest_version=3),), offsets=log(None), commits=log(None))
    assert found(given, "HF421")[0].weight == "unsafe"


def test_what_the_newest_plan_writes_is_in_order() -> None:
    assert not found(evidence(operators=(operator(newest_version=8),)), "HF421")
    assert not found(in_flight(operators=(operator(newest_version=8),)), "HF421")
