"""Cases of HF446."""

from typing import Any

import pytest

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Absent, Known
from tests.rules.made_up import commit, found, in_flight, judged, memory, operator


def stateful(**changes: Any) -> Evidence:
    return in_flight(operators=(operator(),), **{"sinks": (memory(7),), **changes})


def test_format_2_can_never_start_again() -> None:
    given = stateful(commit=Known(commit(6, ids=True), "commits/6"), state_written=True)
    assert found(given, "HF446")[0].weight == "unsafe"
    assert judged(given).answer == "unsafe"


@pytest.mark.parametrize(
    ("written", "weight"), [(True, "note"), (False, "unsafe"), (None, "unknown")]
)
def test_format_1_needs_the_state_of_the_first_attempt(written: bool | None, weight: str) -> None:
    assert found(stateful(state_written=written), "HF446")[0].weight == weight


def test_the_first_commit_tells_the_format() -> None:
    assert found(stateful(commit=Absent("commits")), "HF446")[0].weight == "unknown"


def test_our_own_sinks_execute_the_plan() -> None:
    assert not found(stateful(sinks=(memory(7, skips="checked"),)), "HF446")


def test_a_batch_that_the_sink_lacks_is_executed() -> None:
    assert not found(stateful(sinks=(memory(6),)), "HF446")
    assert not found(in_flight(sinks=(memory(7),)), "HF446"), "no state, no harm"
