"""Cases of HF409."""

from holdfast.core.fact import Known
from tests.rules.made_up import evidence, found, in_flight, judged, plan


def test_another_number_of_partitions_without_a_commit_is_unsafe() -> None:
    other = Known(plan(7, conf={"spark.sql.shuffle.partitions": "4"}), "offsets/7")
    assert found(in_flight(plan=other), "HF409")
    assert judged(in_flight(plan=other)).answer == "unsafe"


def test_with_its_commit_it_is_finished() -> None:
    other = Known(plan(7, conf={"spark.sql.shuffle.partitions": "4"}), "offsets/7")
    assert not found(evidence(plan=other), "HF409")


def test_the_same_number_is_no_repartition() -> None:
    assert not found(in_flight(), "HF409")
