"""Figures and findings from the state of a source, without any source."""

from dataclasses import replace

import pytest

from holdfast.core.evidence.source_findings import source_findings
from holdfast.core.evidence.source_state import (
    PartState,
    SourceState,
    lag_records_total,
    lag_total,
    sameness,
    time_behind,
    time_left,
    topic_ids,
    topics_text,
)
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.finding import is_wrong

HOUR_MS = 3_600_000
NOW_MS = 1_700_000_000_000
PART = PartState(
    name="t/0",
    stored=400,
    earliest=0,
    latest=500,
    stored_is_readable=True,
    stored_at_ms=NOW_MS - HOUR_MS,
    counted_from_ms=NOW_MS - HOUR_MS,
    retention_ms=10 * HOUR_MS,
    lag=100,
    lag_records=100,
)
STATE = SourceState(
    position=0,
    kind="kafka",
    where="broker:9092/t",
    counts="records",
    identity=Known("t=new", "broker"),
    stored_identity=Known("t=new", "runs"),
    parts=(PART,),
)


def codes(state: SourceState) -> list[str]:
    return [finding.code for finding in source_findings(state, NOW_MS)]


def test_a_source_that_has_everything_gives_no_finding() -> None:
    assert source_findings(STATE, NOW_MS) == ()
    assert (lag_total(STATE), lag_records_total(STATE), sameness(STATE)) == (100, 100, "same")
    assert (time_behind(PART, NOW_MS), time_left(PART, NOW_MS)) == (HOUR_MS, 9 * HOUR_MS)


def test_one_part_that_does_not_tell_makes_the_total_unknown() -> None:
    state = replace(STATE, parts=(PART, replace(PART, name="t/1", lag=None)))
    assert lag_total(state) is None
    assert lag_records_total(state) == 200
    assert lag_total(replace(STATE, parts=())) is None


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ({"lag": 0}, "nothing-unread"),
        ({"stored_is_readable": False}, "already-gone"),
        ({"retention_ms": -1}, "kept-for-ever"),
        ({"retention_ms": None}, "unknown"),
        ({"counted_from_ms": None}, "unknown"),
        ({"counted_from_ms": NOW_MS - 11 * HOUR_MS}, -HOUR_MS),
    ],
)
def test_the_retention_clock_tells_a_time_or_why_there_is_none(changes: dict, left: object) -> None:
    assert time_left(replace(PART, **changes), NOW_MS) == left


def test_retention_that_is_near_is_warned_of() -> None:
    near = replace(PART, counted_from_ms=NOW_MS - 8 * HOUR_MS)
    assert codes(replace(STATE, parts=(near,))) == ["HF306"]
    assert codes(replace(STATE, parts=(replace(near, lag=0),))) == []


def test_records_that_are_gone_are_counted() -> None:
    state = replace(STATE, parts=(replace(PART, earliest=450, stored_is_readable=False),))
    [finding] = source_findings(state, NOW_MS)
    assert finding.code == "HF301"
    assert "50 records" in finding.message and "t/0" in finding.message


def test_a_new_partition_that_does_not_begin_at_0_has_lost_its_beginning() -> None:
    part = replace(PART, stored=None, earliest=7, stored_is_readable=False)
    assert part.lost == 7
    assert codes(replace(STATE, parts=(part,))) == ["HF301"]
    # But a table without a stored version has lost nothing that anybody would have read.
    assert replace(part, name="").lost is None


def test_a_position_past_the_end_is_told_from_one_that_is_gone() -> None:
    state = replace(STATE, parts=(replace(PART, latest=200, stored_is_readable=False, lag=0),))
    assert codes(state) == ["HF303"]


def test_a_partition_that_is_gone_is_told() -> None:
    gone = PartState(name="t/0", stored=400, stored_is_readable=False)
    assert codes(replace(STATE, parts=(gone,))) == ["HF301"]


def test_another_topic_is_an_error_though_its_offsets_would_fit() -> None:
    state = replace(STATE, stored_identity=Known("t=old", "runs"))
    assert sameness(state) == "other"
    [finding] = source_findings(state, NOW_MS)
    assert finding.code == "HF302" and is_wrong((finding,))


@pytest.mark.parametrize("before", [Absent("runs"), Unreadable("runs", "no answer", "HF007")])
def test_what_was_never_written_down_is_unknown_and_not_the_same(before: object) -> None:
    assert sameness(replace(STATE, stored_identity=before)) == "unknown"  # type: ignore[arg-type]


def test_a_topic_that_only_one_side_knows_leaves_it_unknown() -> None:
    parts = (PART, replace(PART, name="u/0"))
    state = replace(STATE, identity=Known("t=new,u=x", "broker"), parts=parts)
    assert sameness(state) == "unknown"
    assert sameness(replace(state, stored_identity=Known("t=old", "runs"))) == "other"


def test_a_table_is_told_by_its_id() -> None:
    table = replace(STATE, kind="delta", identity=Known("a", ""), stored_identity=Known("b", ""))
    assert codes(table) == ["HF302"]


def test_topics_are_written_in_one_order_and_read_back() -> None:
    ids = {"b": "x+/y", "a": "z"}
    assert topics_text(ids) == "a=z,b=x+/y"
    assert topic_ids(topics_text(ids)) == ids


def test_files_matter_where_a_restart_reads_them() -> None:
    files = SourceState(position=0, kind="files", where="", missing=("a",), missing_count=1)
    assert codes(files) == ["HF307"]
    assert codes(replace(files, needed_count=1)) == ["HF304"]


def test_a_source_without_an_answer_is_a_warning_and_not_fine() -> None:
    problem = Unreadable("broker", "no answer", "HF007")
    assert codes(replace(STATE, parts=(), problem=problem)) == ["HF305"]
