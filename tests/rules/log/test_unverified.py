"""Cases of HF495."""

from tests.rules.made_up import evidence, found, judged


def test_missing_checksums_are_unknown() -> None:
    given = evidence(unverified=("offsets",))
    assert found(given, "HF495") and judged(given).answer == "unknown"


def test_what_is_covered_is_fine() -> None:
    assert not found(evidence(), "HF495")
