"""Cases of HF485."""

import pytest

from holdfast.core.fact import Known
from tests.rules.change.queries import compared, query
from tests.rules.made_up import found, plan

ON = {"spark.sql.streaming.queryEvolution.enableSourceEvolution": "true"}


@pytest.mark.parametrize(
    ("version", "weight"), [("4.3.0", "unsafe"), ("4.2.0", "note"), (None, "unsafe")]
)
def test_names_over_a_log_of_numbers(version: str | None, weight: str) -> None:
    more = {"spark": Known(version, "--spark")} if version else {}
    given = compared(None, query(pinned=ON), **more)
    assert [each.weight for each in found(given, "HF485")] == [weight]


def test_a_log_of_names_is_fine_and_so_is_the_setting_off() -> None:
    named = Known(plan(7, version=2), "offsets/7")
    assert not found(compared(None, query(pinned=ON), plan=named), "HF485")
    assert not found(compared(None, query(pinned=dict.fromkeys(ON, "false"))), "HF485")
