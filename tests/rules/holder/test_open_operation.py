"""Cases of HF436."""

import pytest

from holdfast.core.goal import GOALS, Goal
from tests.rules.holder.test_moved import records
from tests.rules.made_up import evidence, found, judged


@pytest.mark.parametrize("goal", GOALS)
def test_an_operation_that_stopped_half_way_is_unsafe_for_every_goal(goal: Goal) -> None:
    given = evidence(remembered=records(open_operation="0123456789ab"))
    assert "0123456789ab" in found(given, "HF436")[0].message
    assert judged(given, goal).answer == "unsafe"


def test_a_journal_without_an_open_one_is_fine() -> None:
    assert not found(evidence(remembered=records()), "HF436")
