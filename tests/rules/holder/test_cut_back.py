"""Cases of HF433."""

from dataclasses import replace
from typing import Any

from holdfast.core.evidence.around import Remembered
from holdfast.core.fact import Known
from tests.rules.made_up import QUERY, evidence, found, judged, log


def records(**changes: Any) -> Known[Remembered]:
    sound = Remembered(
        job=Known("orders", "r"),
        query_id=Known(QUERY, "r"),
        location=Known("/data/old", "r"),
        is_elsewhere=False,
        last_batch=7,
        runs=2,
    )
    return Known(replace(sound, **changes), "_holdfast/orders")


def test_less_than_was_finished_is_unsafe() -> None:
    given = evidence(remembered=records(last_batch=9))
    assert found(given, "HF433") and judged(given).answer == "unsafe"
    emptied = evidence(remembered=records(), offsets=log(None), commits=log(None))
    assert found(emptied, "HF433")[0].weight == "unsafe"


def test_as_far_as_before_is_fine() -> None:
    assert not found(evidence(remembered=records()), "HF433")
