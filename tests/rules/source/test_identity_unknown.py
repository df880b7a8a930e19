"""Cases of HF454."""

from holdfast.core.fact import Absent
from tests.rules.made_up import evidence, found, judged, source


def test_it_is_a_note() -> None:
    given = evidence(sources=(source(stored_identity=Absent("records")),))
    assert found(given, "HF454")[0].weight == "note"
    assert judged(given).answer == "safe"


def test_a_remembered_topic_needs_no_note() -> None:
    assert not found(evidence(), "HF454")
