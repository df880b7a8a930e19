"""Cases of HF434."""

from dataclasses import replace
from typing import Any

from holdfast.core.evidence.around import Remembered
from holdfast.core.fact import Known
from tests.rules.made_up import QUERY, evidence, found, judged


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


def test_another_place_is_unknown() -> None:
    given = evidence(remembered=records(is_elsewhere=True))
    assert "/data/old" in found(given, "HF434")[0].message
    assert judged(given).answer == "unknown"


def test_the_same_place_is_fine() -> None:
    assert not found(evidence(remembered=records()), "HF434")
