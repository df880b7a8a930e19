"""Cases of HF405."""

from holdfast.core.evidence.around import Seen
from tests.rules.made_up import evidence, found, judged


def test_a_newer_format_is_unknown() -> None:
    seen = Seen(code="HF102", severity="error", message="version 9", path="offsets/7")
    assert found(evidence(seen=(seen,)), "HF405")
    assert judged(evidence(seen=(seen,))).answer == "unknown"


def test_a_known_one_is_not() -> None:
    assert not found(evidence(), "HF405")
