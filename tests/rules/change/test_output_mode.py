"""Cases of HF475."""

from tests.rules.change.queries import compared, counted, counting, query
from tests.rules.made_up import found, judged


def test_another_mode_is_unsafe_with_state() -> None:
    given = counted(counting(output_mode="update"))
    (finding,) = found(given, "HF475")
    assert "append -> update" in finding.message
    assert judged(given).answer == "unsafe"


def test_and_a_note_without() -> None:
    given = compared(query(), query(output_mode="update"))
    assert [each.weight for each in found(given, "HF475")] == ["note"]


def test_a_mode_that_nobody_told_is_no_change() -> None:
    assert not found(counted(counting(output_mode=None)), "HF475")
