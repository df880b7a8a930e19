"""Cases of HF483."""

import pytest

from holdfast.core.fact import Known
from tests.rules.made_up import evidence, found, in_flight, judged, plan

PARTITIONS = "spark.sql.shuffle.partitions"
MORE = Known(plan(7, conf={PARTITIONS: "8"}), "offsets/7")


@pytest.mark.parametrize(
    ("version", "word"), [("4.2.0", "refuse"), ("4.1.4", "does not notice"), (None, "refuse")]
)
def test_an_unfinished_repartition_is_unsafe(version: str | None, word: str) -> None:
    given = in_flight(plan=MORE, **({"spark": Known(version, "--spark")} if version else {}))
    (finding,) = found(given, "HF483")
    assert "2 -> 8" in finding.message and word in finding.consequence
    assert judged(given).answer == "unsafe"


def test_a_finished_one_is_not() -> None:
    assert not found(evidence(plan=MORE), "HF483")


def test_nor_is_an_ordinary_batch_in_flight() -> None:
    assert not found(in_flight(), "HF483")
