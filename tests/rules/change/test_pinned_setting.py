"""Cases of HF478."""

from holdfast.core.fact import Known
from tests.rules.change.queries import compared, operator, query
from tests.rules.made_up import found, judged, plan

PARTITIONS = "spark.sql.shuffle.partitions"


def test_a_pinned_setting_is_ignored() -> None:
    given = compared(None, query(pinned={PARTITIONS: "200"}))
    (finding,) = found(given, "HF478")
    assert "2 -> 200" in finding.message and "2 counts" in finding.consequence
    assert judged(given).answer == "safe"


def test_the_same_value_and_one_that_is_not_stored_are_not_told() -> None:
    assert not found(compared(None, query(pinned={PARTITIONS: "2", "other": "1"})), "HF478")


def test_the_encoding_of_state_is_not_ignored_but_refused() -> None:
    key = "spark.sql.streaming.stateStore.encodingFormat"
    given = compared(
        None,
        query(pinned={key: "avro"}),
        plan=Known(plan(7, conf={key: "unsaferow"}), "offsets/7"),
        operators=(operator(),),
    )
    assert found(given, "HF478")[0].weight == "unsafe"
