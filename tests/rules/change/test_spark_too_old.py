"""Cases of HF479."""

import pytest

from holdfast.core.evidence.logs import Commit
from holdfast.core.fact import Absent, Known
from tests.rules.change.queries import counting
from tests.rules.made_up import evidence, found, judged, plan

FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"


def spark(version: str) -> Known[str]:
    return Known(version, "--spark")


def commit(version: int) -> Known[Commit]:
    value = Commit(batch=7, version=version, next_watermark_ms=0, has_state_ids=version > 1)
    return Known(value, "commits/7")


@pytest.mark.parametrize(
    ("version", "weights"),
    [("3.5.9", ["unsafe"]), ("4.1.4", ["unsafe"]), ("4.2.0", []), ("4.3.0", [])],
)
def test_plans_of_the_second_format_need_4_2(version: str, weights: list[str]) -> None:
    given = evidence(plan=Known(plan(7, version=2), "offsets/7"), spark=spark(version))
    assert [each.weight for each in found(given, "HF479")] == weights
    assert (judged(given).answer == "unsafe") == bool(weights)


@pytest.mark.parametrize(
    ("stored", "version", "wanted", "weights"),
    [
        (1, "3.5.9", None, []),
        (2, "3.5.9", None, ["unsafe"]),
        (2, "4.0.5", None, ["unknown"]),
        (2, "4.0.5", "2", []),
        (2, "4.1.4", "1", ["unsafe"]),
        (1, "4.1.4", "2", ["unsafe"]),
        (1, "4.1.4", None, []),
        (2, "4.2.0", "1", []),
        (3, "4.1.4", None, ["unsafe"]),
        (3, "4.2.0", None, []),
    ],
)
def test_versions_of_commits(
    stored: int, version: str, wanted: str | None, weights: list[str]
) -> None:
    unpinned = {} if wanted is None else {FORMAT: wanted}
    given = evidence(
        commit=commit(stored),
        spark=spark(version),
        next_query=Known(counting(unpinned=unpinned), "a"),
    )
    assert [each.weight for each in found(given, "HF479")] == weights


def test_where_the_spark_is_not_known_the_one_that_is_needed_is_told() -> None:
    second = Known(plan(7, version=2), "offsets/7")
    given = evidence(plan=second, spark=Absent("no pyspark"))
    (finding,) = found(given, "HF479")
    assert finding.weight == "note" and "4.2" in finding.message


def test_the_same_query_started_again_has_its_setting() -> None:
    given = evidence(commit=commit(2), spark=spark("4.1.4"))
    assert [each.weight for each in found(given, "HF479")] == ["note"]
