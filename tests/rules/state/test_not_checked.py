"""Cases of HF423."""

from holdfast.core.evidence.around import Seen
from tests.rules.made_up import evidence, found, judged, operator

SEEN = Seen(code="HF121", severity="info", message="900 files were not read", path="state")


def test_it_is_unknown_for_a_stateful_query() -> None:
    given = evidence(seen=(SEEN,), operators=(operator(),))
    assert found(given, "HF423") and judged(given).answer == "unknown"


def test_without_state_there_is_nothing_to_load() -> None:
    assert not found(evidence(seen=(SEEN,)), "HF423")
