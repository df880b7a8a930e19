"""Cases of HF412."""

from dataclasses import replace

from holdfast.core.evidence.around import Intent
from tests.rules.made_up import evidence, found, judged, log

HOLED = replace(log(7), holes=(3,), hole_count=1, count=7)


def test_a_hole_far_back_is_a_note_for_resume() -> None:
    given = evidence(offsets=HOLED)
    assert found(given, "HF412")[0].weight == "note"
    assert judged(given).answer == "safe"


def test_a_replay_cannot_begin_there() -> None:
    begin = evidence(offsets=HOLED, intent=Intent(from_batch=3))
    assert found(begin, "HF412", "replay")[0].weight == "unsafe"
    later = evidence(offsets=HOLED, intent=Intent(from_batch=6))
    assert found(later, "HF412", "replay")[0].weight == "note"
