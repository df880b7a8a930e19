"""Cases of HF458."""

from dataclasses import replace

from holdfast.core.evidence.logs import Plan
from holdfast.core.fact import Known
from tests.rules.made_up import evidence, found, in_flight, plan


def of_kind(kind: str) -> Known[Plan]:
    span = replace(plan(7).sources[0], kind=kind)
    return Known(plan(7, sources=(span,)), "offsets/7")


def test_a_source_of_no_known_kind_is_unknown_in_flight() -> None:
    assert found(in_flight(plan=of_kind("opaque")), "HF458")[0].weight == "unknown"


def test_with_nothing_in_flight_or_a_known_kind_it_is_fine() -> None:
    assert not found(evidence(plan=of_kind("opaque")), "HF458")
    assert not found(in_flight(), "HF458")
