"""Cases of HF432."""

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


def test_another_id_is_unsafe() -> None:
    given = evidence(remembered=records(query_id=Known("another", "r")))
    assert found(given, "HF432") and judged(given).answer == "unsafe"


def test_the_same_id_is_fine() -> None:
    assert judged(evidence(remembered=records())).answer == "safe"
