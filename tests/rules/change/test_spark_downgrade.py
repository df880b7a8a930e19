"""Cases of HF480."""

from holdfast.core.fact import Known
from tests.rules.change.queries import counted, counting, operator, query
from tests.rules.made_up import evidence, found, judged, plan

OLD = Known("4.1.4", "--spark")


def test_an_older_spark_over_state_is_unknown() -> None:
    given = counted(counting(), spark=OLD)
    (finding,) = found(given, "HF480")
    assert "4.2 -> 4.1" in finding.message
    assert judged(given).answer == "unknown"


def test_without_state_it_is_a_note() -> None:
    given = evidence(last_query=Known(query(), "runs/1"), spark=OLD)
    assert [each.weight for each in found(given, "HF480")] == ["note"]


def test_pinned_settings_tell_the_oldest_writer() -> None:
    conf = {"spark.sql.dropDuplicates.deterministicKeyOrder.enabled": "true"}
    given = evidence(
        plan=Known(plan(7, conf=conf), "offsets/7"),
        operators=(operator(),),
        spark=Known("4.2.0", "--spark"),
    )
    assert "4.3 -> 4.2" in found(given, "HF480")[0].message


def test_a_patch_release_is_the_same_one() -> None:
    assert not found(counted(counting(), spark=Known("4.2.9", "--spark")), "HF480")
    assert not found(counted(counting(), spark=Known("nightly", "--spark")), "HF480")
