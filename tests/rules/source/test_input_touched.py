"""Cases of HF497."""

from dataclasses import replace

import pytest

from holdfast.core.evidence.source_state import FileTouch
from holdfast.core.fact import Known
from tests.rules.made_up import evidence, found, in_flight, judged, plan, source

PLANNED_MS = 1_794_770_817_626


def touched(*at_ms: int) -> tuple[FileTouch, ...]:
    return tuple(FileTouch(path=f"file:/in/{n}.json", at_ms=at) for n, at in enumerate(at_ms))


def test_a_file_touched_after_the_plan_is_unknown() -> None:
    given = in_flight(sources=(source(kind="files", touched=touched(PLANNED_MS + 1)),))
    (finding,) = found(given, "HF497")
    assert (finding.weight, finding.rows) == ("unknown", 1)
    assert judged(given).answer == judged(given, "replay").answer == "unknown"


@pytest.mark.parametrize(("before_ms", "told"), [(10, False), (9, True), (0, True)])
def test_the_clock_of_the_file_system_may_lag_by_a_tick(before_ms: int, told: bool) -> None:
    given = in_flight(sources=(source(kind="files", touched=touched(PLANNED_MS - before_ms)),))
    assert bool(found(given, "HF497")) is told


def test_files_that_came_before_the_plan_are_fine() -> None:
    given = in_flight(sources=(source(kind="files", touched=touched(PLANNED_MS - 60_000)),))
    assert judged(given).answer == "safe"


def test_without_a_batch_in_flight_nothing_is_read_again() -> None:
    given = evidence(sources=(source(kind="files", touched=touched(PLANNED_MS + 1)),))
    assert not found(given, "HF497")


def test_a_plan_without_a_time_cannot_rule_it_out() -> None:
    timeless = Known(replace(plan(7), timestamp_ms=None), "offsets/7")
    files = source(kind="files", touched=touched(1))
    assert found(in_flight(plan=timeless, sources=(files,)), "HF497")


def test_many_files_are_counted_and_some_are_named() -> None:
    files = source(kind="files", touched=touched(*[PLANNED_MS + 1] * 5))
    (finding,) = found(in_flight(sources=(files,)), "HF497")
    assert "and 2 more" in finding.message and finding.rows == 5
