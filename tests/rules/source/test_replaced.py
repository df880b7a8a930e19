"""Cases of HF453."""

from holdfast.core.evidence.source_state import PartState
from holdfast.core.fact import Known
from tests.rules.made_up import evidence, found, judged, source


def test_another_topic_of_the_same_name_is_unsafe_and_counted() -> None:
    """Deleted and created again with 600 records while the checkpoint stood at 400."""
    part = PartState(name="t/0", stored=400, earliest=0, latest=600)
    other = source(
        identity=Known("t=new", "kafka"), stored_identity=Known("t=old", "r"), parts=(part,)
    )
    (finding,) = found(evidence(sources=(other,)), "HF453")
    assert finding.rows == 400 and finding.weight == "unsafe"


def test_a_position_past_the_end_is_unsafe() -> None:
    part = PartState(name="t/0", stored=800, earliest=0, latest=600)
    assert judged(evidence(sources=(source(parts=(part,)),))).answer == "unsafe"


def test_the_same_topic_is_fine() -> None:
    assert not found(evidence(), "HF453")
