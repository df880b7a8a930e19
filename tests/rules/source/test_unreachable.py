"""Cases of HF452."""

from holdfast.core.fact import Unreadable
from tests.rules.made_up import evidence, found, judged, source


def test_no_answer_is_unknown() -> None:
    given = evidence(sources=(source(problem=Unreadable("t", "no answer", "HF007")),))
    assert found(given, "HF452") and judged(given).answer == "unknown"


def test_an_answer_is_fine() -> None:
    assert not found(evidence(), "HF452")
