"""Cases of HF422."""

from holdfast.core.evidence.around import Seen
from holdfast.core.evidence.evidence import Evidence
from tests.rules.made_up import evidence, found, judged, operator


def moved(name: str) -> Evidence:
    return evidence(operators=(operator(name=name, paths_outside=("file:/old/state/0",)),))


def test_transform_with_state_cannot_open_its_schema() -> None:
    assert found(moved("transformWithStateExec"), "HF422")[0].weight == "unsafe"


def test_a_join_loses_its_check() -> None:
    assert found(moved("symmetricHashJoin"), "HF422")[0].weight == "unknown"


def test_a_schema_log_of_delta_refuses() -> None:
    seen = Seen(code="HF115", severity="warning", message="elsewhere", path="sources/0/log/0")
    assert judged(evidence(seen=(seen,))).answer == "unsafe"


def test_paths_that_lead_inside_are_fine() -> None:
    assert not found(evidence(operators=(operator(),)), "HF422")
