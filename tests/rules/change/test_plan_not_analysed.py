"""Cases of HF461."""

from holdfast.core.fact import Known, Unreadable
from tests.rules.change.queries import compared, query
from tests.rules.made_up import evidence, found, judged

FAILED = Unreadable("--against q:f", "KeyError: 'a'", "HF001")


def test_a_plan_that_cannot_be_analysed_is_unknown() -> None:
    given = evidence(next_query=FAILED)
    (finding,) = found(given, "HF461")
    assert "KeyError" in finding.message
    assert judged(given).answer == "unknown"


def test_a_record_that_cannot_be_read_is_unknown_once_there_is_something_to_compare() -> None:
    torn = Unreadable("runs/1", "it ends early", "HF004")
    given = evidence(last_query=torn, next_query=Known(query(), "--against q:f"))
    assert [each.weight for each in found(given, "HF461")] == ["unknown"]
    assert not found(evidence(last_query=torn), "HF461")


def test_both_known_is_fine() -> None:
    assert not found(compared(query(), query()), "HF461")
