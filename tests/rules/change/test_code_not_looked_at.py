"""Cases of HF460."""

from tests.rules.change.queries import compared, query
from tests.rules.made_up import evidence, found, judged, log


def test_a_bare_checkpoint_is_judged_as_the_same_query_started_again() -> None:
    (finding,) = found(evidence(), "HF460")
    assert finding.weight == "note" and "same query" in finding.consequence
    assert judged(evidence()).answer == "safe"


def test_what_was_looked_at_is_not_said_to_be_missing() -> None:
    assert not found(compared(query(), query()), "HF460")


def test_before_the_first_batch_there_is_nothing_to_compare() -> None:
    assert not found(evidence(offsets=log(None), commits=log(None)), "HF460")
