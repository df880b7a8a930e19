"""Cases of HF468."""

from tests.rules.change.queries import compared, query, source
from tests.rules.made_up import found, judged


def starting(at: str) -> object:
    return query(sources=(source(subscribe="t", startingOffsets=at),))


def test_where_to_begin_is_ignored() -> None:
    given = compared(starting("latest"), starting("earliest"))
    (finding,) = found(given, "HF468")
    assert "latest -> earliest" in finding.message and "ignored" in finding.consequence
    assert judged(given).answer == "safe"


def test_the_same_start_is_not_told() -> None:
    assert not found(compared(starting("latest"), starting("latest")), "HF468")
