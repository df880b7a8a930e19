"""Cases of HF477."""

from dataclasses import replace

import pytest

from holdfast.core.fact import Known
from tests.rules.change.queries import SHAPE, compared, counted, counting, query
from tests.rules.made_up import found, judged

ZONE = "spark.sql.session.timeZone"
FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"
SESSION = "spark.sql.streaming.sessionWindow.stateFormatVersion"
MULTIPLE = "spark.sql.streaming.statefulOperator.allowMultiple"
BY_DAY = {"shapes": (replace(SHAPE, made_by=("sensor = to_date(at)",)),)}
SESSIONS = {"stateful": ("Aggregate: session_window",), "shapes": None}


@pytest.mark.parametrize(
    ("name", "more", "weight"),
    [
        (ZONE, {}, "unknown"),
        (ZONE, BY_DAY, "unsafe"),
        (FORMAT, {}, "unsafe"),
        (SESSION, {}, "note"),
        (SESSION, SESSIONS, "unsafe"),
        (SESSION, {"stateful": None, "shapes": None}, "unknown"),
        (MULTIPLE, {}, "note"),
        (MULTIPLE, {"stateful": ("Aggregate: a", "Deduplicate: b"), "shapes": None}, "unsafe"),
        ("spark.sql.ansi.enabled", {}, "note"),
    ],
)
def test_a_setting_counts_where_an_operator_depends_on_it(
    name: str, more: dict[str, object], weight: str
) -> None:
    before = counting(unpinned={name: "1"}, **more)
    given = counted(counting(unpinned={name: "2"}, **more), before)
    (finding,) = found(given, "HF477")
    assert finding.weight == weight and f"{name}: 1 -> 2" in finding.message


def test_without_state_it_is_a_note() -> None:
    given = compared(query(), query(unpinned={ZONE: "Europe/Berlin"}))
    assert [each.weight for each in found(given, "HF477")] == ["note"]
    assert judged(given).answer == "safe"


def test_spark_4_3_takes_the_format_of_the_checkpoint() -> None:
    before, after = counting(unpinned={FORMAT: "1"}), counting(unpinned={FORMAT: "2"})
    given = counted(after, before, spark=Known("4.3.0", "--spark"))
    assert [each.weight for each in found(given, "HF477")] == ["note"]


def test_a_setting_that_only_one_side_tells_is_no_change() -> None:
    assert not found(counted(counting(unpinned={})), "HF477")
