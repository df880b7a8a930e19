"""Cases of HF448."""

from holdfast.core.evidence.sink_memory import OtherWriter
from tests.rules.made_up import evidence, found, judged, memory


def test_others_are_named() -> None:
    given = evidence(sinks=(memory(7, others=(OtherWriter(key="another", last=3),)),))
    assert "another" in found(given, "HF448")[0].message
    assert judged(given).answer == "safe"


def test_alone_there_is_nothing_to_say() -> None:
    assert not found(evidence(), "HF448")
