"""Cases of HF450."""

import pytest

from holdfast.core.goal import Goal
from tests.rules.made_up import evidence, found, memory


@pytest.mark.parametrize("goal", ["replay", "backfill"])
def test_without_memory_it_is_unsafe_and_with_it_unknown(goal: Goal) -> None:
    none = evidence(sinks=(memory(None, kind="none", skips="never"),))
    assert found(none, "HF450", goal)[0].weight == "unsafe"
    assert found(evidence(), "HF450", goal)[0].weight == "unknown"


def test_a_resume_corrects_nothing() -> None:
    assert not found(evidence(), "HF450")
