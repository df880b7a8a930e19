"""Cases of HF424."""

from holdfast.core.evidence.around import Intent
from tests.rules.made_up import evidence, found, operator


def test_only_a_batch_with_state_before_it_can_be_replayed() -> None:
    given = evidence(operators=(operator(loadable=((4, 7),)),), intent=Intent(from_batch=4))
    assert found(given, "HF424", "replay")[0].weight == "unsafe"
    given = evidence(operators=(operator(loadable=((4, 7),)),), intent=Intent(from_batch=5))
    assert not found(given, "HF424", "replay")


def test_from_the_very_beginning_no_state_is_needed() -> None:
    given = evidence(operators=(operator(loadable=()),), intent=Intent(from_batch=0))
    assert not found(given, "HF424", "replay")
