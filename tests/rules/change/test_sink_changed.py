"""Cases of HF476."""

import pytest

from holdfast.core.fact import Known
from tests.rules.change.queries import compared, query
from tests.rules.made_up import found, in_flight, judged, log, memory


@pytest.mark.parametrize(
    ("kind", "place", "weight"),
    [
        ("delta", "/data/tables/new", "unsafe"),
        ("sql", "gold sqlite:///gold.db", "unsafe"),
        ("file", "/data/files", "unsafe"),
        ("kafka", "topic", "note"),
        ("python", None, "note"),
    ],
)
def test_another_sink(kind: str, place: str | None, weight: str) -> None:
    given = compared(query(), query(sink_kind=kind, sink_place=place), sinks=(memory(None),))
    (finding,) = found(given, "HF476")
    assert finding.weight == weight
    assert "/data/tables/orders" in finding.message and "7" in finding.consequence


def test_a_table_that_remembers_the_last_batch_is_the_same_one_moved() -> None:
    given = compared(query(), query(sink_place="/data/moved"), sinks=(memory(7),))
    assert [each.weight for each in found(given, "HF476")] == ["note"]
    behind = compared(query(), query(sink_place="/data/moved"), sinks=(memory(5),))
    assert judged(behind).answer == "unsafe"


def test_a_manifest_that_begins_in_the_middle_breaks_its_readers() -> None:
    given = compared(query(sink_kind="kafka"), query(sink_kind="file", sink_place="/out"))
    assert "manifest" in found(given, "HF476")[0].consequence


def test_a_batch_in_flight_may_be_in_both() -> None:
    given = in_flight(
        last_query=Known(query(), "runs/1"),
        next_query=Known(query(sink_place="/data/new"), "a"),
        sinks=(memory(None),),
    )
    assert "batch 7 may be in the old sink" in found(given, "HF476")[0].consequence


def test_another_spelling_of_the_same_folder_is_no_change() -> None:
    after = query(sink_place="file:///data/tables/orders/")
    assert not found(compared(query(), after), "HF476")


def test_an_analysed_plan_knows_no_sink() -> None:
    after = query(sink_kind=None, sink_place=None)
    assert not found(compared(query(), after, offsets=log(7)), "HF476")
