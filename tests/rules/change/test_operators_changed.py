"""Cases of HF471."""

import pytest

from tests.rules.change.queries import AGGREGATE, compared, counted, counting, operator, query
from tests.rules.made_up import found, judged

DEDUPLICATE = "Deduplicate: id"


@pytest.mark.parametrize(
    ("stateful", "difference"),
    [
        ((), "[aggregate] -> []"),
        ((AGGREGATE, DEDUPLICATE), "[aggregate] -> [aggregate; dedupe]"),
        ((DEDUPLICATE,), "[aggregate] -> [dedupe]"),
        (("Aggregate: session_window, sensor",), "[aggregate] -> [session window]"),
    ],
)
@pytest.mark.parametrize("recorded", [True, False])
def test_another_set_of_operators_is_unsafe(
    stateful: tuple[str, ...], difference: str, recorded: bool
) -> None:
    after = counting(stateful=stateful, shapes=None)
    given = compared(counting() if recorded else None, after, operators=(operator(),))
    (finding,) = found(given, "HF471")
    assert difference in finding.message
    assert judged(given).answer == "unsafe"


def test_state_that_was_never_there_cannot_be_loaded() -> None:
    (finding,) = found(compared(query(), counting()), "HF471")
    assert "no state" in finding.consequence


def test_operators_that_change_places_are_told() -> None:
    both = (operator("dedupe", 0), operator("stateStoreSave", 1))
    swapped = counting(stateful=(DEDUPLICATE, AGGREGATE), shapes=None)
    (finding,) = found(compared(None, swapped, operators=both), "HF471")
    assert "another order" in finding.message
    right = counting(stateful=(AGGREGATE, DEDUPLICATE), shapes=None)
    assert not found(compared(None, right, operators=both), "HF471")


def test_without_names_the_number_counts() -> None:
    nameless = (operator(None),)
    assert not found(compared(None, counting(), operators=nameless), "HF471")
    two = counting(stateful=(AGGREGATE, DEDUPLICATE))
    assert "1 -> 2" in found(compared(None, two, operators=nameless), "HF471")[0].message


def test_a_limit_keeps_nothing_in_complete_mode() -> None:
    limited = {"stateful": ("GlobalLimit", AGGREGATE), "shapes": None}
    before = counting(output_mode="complete")
    assert not found(counted(counting(output_mode="complete", **limited), before), "HF471")
    assert found(counted(counting(**limited)), "HF471")


def test_watermarks_are_no_operators_and_half_a_plan_is_none() -> None:
    marked = counting(stateful=(AGGREGATE, "EventTimeWatermark: at 10 seconds"))
    assert not found(counted(marked), "HF471")
    assert not found(counted(counting(stateful=("…",))), "HF471")
