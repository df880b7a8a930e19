"""Cases of HF492."""

from tests.rules.made_up import evidence, found, judged, memory


def test_a_restore_is_told() -> None:
    given = evidence(sinks=(memory(7, removals=("RESTORE at version 12",)),))
    assert "version 12" in found(given, "HF492")[0].message
    assert judged(given).answer == "unknown"


def test_a_table_that_only_grew_is_fine() -> None:
    assert not found(evidence(), "HF492")
