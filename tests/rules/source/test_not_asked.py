"""Cases of HF451."""

from dataclasses import replace

from holdfast.core.fact import Known
from tests.rules.made_up import evidence, found, judged, plan


def test_a_source_that_was_not_asked_is_unknown() -> None:
    given = evidence(sources=())
    assert "kafka" in found(given, "HF451")[0].message
    assert judged(given).answer == "unknown"


def test_one_that_was_asked_is_fine() -> None:
    assert not found(evidence(), "HF451")


def test_a_source_that_makes_its_own_rows_need_not_be_asked() -> None:
    span = replace(plan(7).sources[0], kind="rate")
    given = evidence(sources=(), plan=Known(plan(7, sources=(span,)), "offsets/7"))
    assert not found(given, "HF451")
