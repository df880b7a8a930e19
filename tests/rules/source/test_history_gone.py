"""Cases of HF459."""

from holdfast.core.evidence.source_state import PartState
from tests.rules.made_up import evidence, found, source


def test_a_reset_lacks_what_retention_removed() -> None:
    part = PartState(name="t/0", stored=800, earliest=300, latest=900)
    (finding,) = found(evidence(sources=(source(parts=(part,)),)), "HF459", "reset")
    assert finding.rows == 300
    assert not found(evidence(sources=(source(parts=(part,)),)), "HF459"), "a resume needs none"


def test_a_source_that_has_everything_is_fine() -> None:
    assert not found(evidence(), "HF459", "reset")
