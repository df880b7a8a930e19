"""Cases of HF463."""

from dataclasses import replace

import pytest

from holdfast.core.fact import Known
from tests.rules.change.queries import compared, query, source
from tests.rules.made_up import found, judged, plan

TWO = (source(), source(1, "kafka", subscribe="u"))


def second_format(*names: str) -> Known[object]:
    span = plan(7).sources[0]
    spans = tuple(replace(span, position=n, name=name) for n, name in enumerate(names))
    return Known(plan(7, version=2, sources=spans), "offsets/7")


def test_one_more_source_is_refused_by_spark() -> None:
    given = compared(None, query(sources=TWO))
    (finding,) = found(given, "HF463")
    assert finding.weight == "unsafe" and "1 -> 2" in finding.message
    assert judged(given).answer == "unsafe"


def test_none_left_is_too() -> None:
    assert "1 -> 0" in found(compared(None, query(sources=())), "HF463")[0].message


@pytest.mark.parametrize(("names", "weight"), [(("a", "b"), "note"), (("0", "1"), "unknown")])
def test_the_second_format_goes_by_names(names: tuple[str, ...], weight: str) -> None:
    given = compared(None, query(sources=(source(),)), plan=second_format(*names))
    assert [each.weight for each in found(given, "HF463")] == [weight]


def test_a_declaration_does_not_know_the_sources_of_its_transform() -> None:
    span = plan(7).sources[0]
    stored = Known(plan(7, sources=(span, replace(span, position=1))), "offsets/7")
    declared = query(stateful=None)
    assert not found(compared(None, declared, plan=stored), "HF463")
    assert found(compared(None, replace(declared, transform=None), plan=stored), "HF463")
