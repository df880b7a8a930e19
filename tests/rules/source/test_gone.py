"""Cases of HF455."""

from holdfast.core.evidence.source_state import PartState
from tests.rules.made_up import evidence, found, judged, source


def test_records_that_retention_removed_are_counted() -> None:
    part = PartState(name="t/0", stored=400, earliest=650, latest=900, stored_is_readable=False)
    (finding,) = found(evidence(sources=(source(parts=(part,)),)), "HF455")
    assert finding.rows == 250 and finding.weight == "unsafe"


def test_files_that_a_start_needs_are_unsafe() -> None:
    given = evidence(sources=(source(kind="files", needed_count=2),))
    assert judged(given).answer == "unsafe"


def test_files_that_were_read_already_are_not() -> None:
    given = evidence(sources=(source(kind="files", missing_count=2),))
    assert not found(given, "HF455")


def test_what_is_there_is_fine() -> None:
    assert not found(evidence(), "HF455")
