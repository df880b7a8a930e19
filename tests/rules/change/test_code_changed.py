"""Cases of HF462."""

from tests.rules.change.queries import compared, counted, counting, query
from tests.rules.made_up import found, judged

NEW = {"code_revision": "bbbb", "stateful": None, "shapes": None}


def test_new_code_over_old_state_is_unknown_until_it_is_analysed() -> None:
    given = counted(counting(**NEW))
    (finding,) = found(given, "HF462")
    assert finding.weight == "unknown" and "aaaa -> bbbb" in finding.message
    assert "--against" in finding.next_action
    assert judged(given).answer == "unknown"


def test_without_state_it_is_a_note() -> None:
    given = compared(query(), query(**NEW))
    assert [each.weight for each in found(given, "HF462")] == ["note"]


def test_another_transform_is_told_by_name() -> None:
    given = counted(counting(transform="orders:other", stateful=None, shapes=None))
    assert "orders:clean -> orders:other" in found(given, "HF462")[0].message


def test_code_that_was_analysed_speaks_for_itself() -> None:
    assert not found(counted(counting(code_revision="bbbb")), "HF462")


def test_a_revision_that_nobody_knows_is_no_change() -> None:
    given = counted(counting(code_revision=None, stateful=None, shapes=None))
    assert not found(given, "HF462")
