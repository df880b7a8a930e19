"""Cases of HF456."""

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.source_state import PartState
from tests.rules.made_up import evidence, found, source


def behind(age_ms: int) -> Evidence:
    sound = evidence()
    part = PartState(
        name="t/0",
        stored=400,
        earliest=0,
        latest=900,
        lag=500,
        retention_ms=1_000_000,
        counted_from_ms=sound.taken_at_ms - age_ms,
    )
    return evidence(sources=(source(parts=(part,)),))


def test_the_clock_is_told_when_it_runs_out() -> None:
    assert found(behind(900_000), "HF456")
    assert not found(behind(100_000), "HF456")
