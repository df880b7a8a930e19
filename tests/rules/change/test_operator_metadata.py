"""Cases of HF481."""

from holdfast.core.fact import Known
from tests.rules.change.queries import operator
from tests.rules.made_up import evidence, found, judged


def test_the_first_start_on_4_does_not_compare_operators() -> None:
    given = evidence(operators=(operator(None),), spark=Known("4.2.0", "--spark"))
    assert [each.weight for each in found(given, "HF481")] == ["note"]
    assert judged(given).answer == "safe"


def test_3_5_never_does_and_names_are_enough() -> None:
    assert not found(
        evidence(operators=(operator(None),), spark=Known("3.5.9", "--spark")), "HF481"
    )
    assert not found(evidence(operators=(operator(),), spark=Known("4.2.0", "--spark")), "HF481")
