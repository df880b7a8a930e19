"""Cases of HF408."""

from holdfast.core.evidence.around import Seen
from tests.rules.made_up import evidence, found


def test_it_is_unknown_for_resume_and_unsafe_for_replay() -> None:
    seen = Seen(code="HF127", severity="warning", message="now and then", path="offsets")
    given = evidence(seen=(seen,))
    assert found(given, "HF408")[0].weight == "unknown"
    assert found(given, "HF408", "replay")[0].weight == "unsafe"


def test_logs_without_gaps_are_not() -> None:
    assert not found(evidence(), "HF408")
