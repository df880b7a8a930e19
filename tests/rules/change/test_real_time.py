"""Cases of HF484."""

from typing import Any

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from tests.rules.change.queries import compared, operator, query
from tests.rules.made_up import found, in_flight, judged

LIVE = query(trigger="real-time 5 minutes")


def switched(*, on: bool, **changes: Any) -> Evidence:
    return compared(query() if on else LIVE, LIVE if on else query(), **changes)


def test_switched_on_with_a_batch_in_flight_is_unsafe() -> None:
    given = in_flight(last_query=Known(query(), "runs/1"), next_query=Known(LIVE, "a"))
    (finding,) = found(given, "HF484")
    assert "batch 7" in finding.consequence
    assert judged(given).answer == "unsafe"


def test_switched_on_over_state_of_format_1_is_unsafe() -> None:
    given = switched(on=True, operators=(operator(),))
    assert [each.weight for each in found(given, "HF484")] == ["unsafe"]


def test_else_it_is_a_note_either_way() -> None:
    for on in (True, False):
        assert [each.weight for each in found(switched(on=on), "HF484")] == ["note"]


def test_another_interval_is_not() -> None:
    assert not found(compared(query(), query(trigger="available-now")), "HF484")
