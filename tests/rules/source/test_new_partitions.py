"""Cases of HF457."""

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.source_state import PartState
from tests.rules.made_up import evidence, found, judged, source


def added(earliest: int) -> Evidence:
    part = PartState(name="t/1", stored=None, earliest=earliest, latest=9)
    return evidence(sources=(source(parts=(part,)),))


def test_a_new_partition_from_its_beginning_is_a_note() -> None:
    assert found(added(0), "HF457")[0].weight == "note"
    assert judged(added(0)).answer == "safe"


def test_one_that_lost_its_beginning_is_unsafe() -> None:
    assert found(added(5), "HF457")[0].rows == 5
