"""Cases of HF464."""

from dataclasses import replace

import pytest

from holdfast.core.fact import Known
from tests.rules.change.queries import compared, query, source
from tests.rules.made_up import found, judged, plan


@pytest.mark.parametrize("provider", ["json", "FileSource", "delta", "rate"])
def test_another_kind_than_the_stored_position_is_unsafe(provider: str) -> None:
    given = compared(None, query(sources=(source(0, provider, path="/in"),)))
    (finding,) = found(given, "HF464")
    assert f"kafka -> {provider}" in finding.message
    assert judged(given).answer == "unsafe"


@pytest.mark.parametrize("provider", ["kafka", "some.other.Source"])
def test_the_same_kind_and_one_that_nobody_knows_are_not(provider: str) -> None:
    assert not found(compared(None, query(sources=(source(0, provider),))), "HF464")


@pytest.mark.parametrize("change", [{"kind": "opaque"}, {"end": None}])
def test_a_position_that_does_not_tell_its_kind_is_not(change: dict[str, str]) -> None:
    stored = Known(plan(7, sources=(replace(plan(7).sources[0], **change),)), "offsets/7")
    given = compared(None, query(sources=(source(0, "json", path="/in"),)), plan=stored)
    assert not found(given, "HF464")
