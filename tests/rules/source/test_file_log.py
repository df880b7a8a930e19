"""Cases of HF490."""

from dataclasses import replace

import pytest

from holdfast.core.evidence.around import Seen
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.logs import FileLog
from holdfast.core.fact import Absent, Fact, Known, Unreadable
from tests.rules.made_up import evidence, found, judged, plan


def reading(newest: Fact[int], end: str = '{"logOffset":7}') -> Evidence:
    span = replace(plan(7).sources[0], kind="file", end=end)
    return evidence(
        plan=Known(plan(7, sources=(span,)), "offsets/7"),
        file_logs=(FileLog(position=0, newest=newest),),
    )


@pytest.mark.parametrize("newest", [Absent("sources/0"), Known(6, "sources/0/6")])
def test_a_log_that_is_gone_or_short_is_unsafe(newest: Fact[int]) -> None:
    assert found(reading(newest), "HF490")[0].weight == "unsafe"
    assert found(reading(newest, "7"), "HF490"), "as Spark 2.1 wrote it"


def test_one_that_cannot_be_read_is_unknown() -> None:
    assert found(reading(Unreadable("sources/0", "torn", "HF004")), "HF490")[0].weight == "unknown"


def test_one_that_is_ahead_is_a_plan_that_was_never_written() -> None:
    assert not found(reading(Known(7, "sources/0/7")), "HF490")
    assert not found(reading(Known(8, "sources/0/8")), "HF490")


def test_a_hole_is_unsafe() -> None:
    seen = Seen(code="HF125", severity="warning", message="4 is missing", path="sources/0")
    assert judged(evidence(seen=(seen,))).answer == "unsafe"
