"""Cases of HF411."""

from holdfast.core.evidence.around import Seen
from tests.rules.made_up import evidence, found


def test_it_is_unknown() -> None:
    seen = Seen(code="HF117", severity="warning", message="2, then 1", path="offsets/7")
    assert found(evidence(seen=(seen,)), "HF411")[0].weight == "unknown"


def test_as_many_as_before_is_fine() -> None:
    assert not found(evidence(), "HF411")
