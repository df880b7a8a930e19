"""Cases of HF442."""

from dataclasses import replace

from holdfast.core.fact import Unreadable
from holdfast.core.goal import GOALS
from tests.rules.made_up import evidence, found, judged, memory


def test_a_sink_that_gives_no_answer_is_unknown() -> None:
    gone = replace(memory(7), last=Unreadable("/data", "no answer", "HF007"))
    for goal in GOALS:
        assert found(evidence(sinks=(gone,)), "HF442", goal)
    assert judged(evidence(sinks=(gone,))).answer == "unknown"


def test_one_that_answers_is_fine() -> None:
    assert not found(evidence(), "HF442")
