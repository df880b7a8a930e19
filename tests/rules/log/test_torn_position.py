"""Cases of HF407."""

from holdfast.core.evidence.around import Seen
from tests.rules.made_up import evidence, found, judged


def test_a_torn_position_is_unsafe() -> None:
    seen = Seen(code="HF116", severity="warning", message="no JSON", path="offsets/7")
    assert found(evidence(seen=(seen,)), "HF407")
    assert judged(evidence(seen=(seen,))).answer == "unsafe"


def test_a_whole_one_is_not() -> None:
    assert not found(evidence(), "HF407")
