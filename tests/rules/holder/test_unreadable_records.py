"""Cases of HF435."""

from holdfast.core.fact import Absent, Unreadable
from tests.rules.made_up import evidence, found, judged


def test_it_is_unknown() -> None:
    given = evidence(remembered=Unreadable("identity.json", "torn", "HF004"))
    assert found(given, "HF435") and judged(given).answer == "unknown"


def test_no_records_are_no_damage() -> None:
    assert not found(evidence(remembered=Absent("_holdfast")), "HF435")
