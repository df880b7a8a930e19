"""How rows are compared, and what the outcomes prove together."""

from typing import Any

import pytest

from holdfast.audit.judging import compare_tables, examples_of
from holdfast.audit.steadiness import differing
from holdfast.core.crash.outcome import Outcome, OutcomeKind, judge_outcomes
from holdfast.core.crash.point import Key, Point
from holdfast.core.crash.table import canonical, table_of
from holdfast.errors import UnreachableError

KEY = Key(area="output", call="create", name="x", batch=0, nth=1)


def point(number: int) -> Point:
    return Point(number=number, stage="K6", batch=0, key=KEY)


# Steadiness and comparison.


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], set()),
        ([(1, "a"), (2, "b")], [(1, "a"), (2, "c")], {"text"}),
        ([(1, "a"), (2, "b")], [(1, "b"), (2, "a")], {"id", "text"}),
        ([(1, "a")], [(1, "a"), (1, "a")], {"*"}),
        ([], [], set()),
    ],
)
def test_columns_that_are_not_the_same_every_time(
    one: list[Any], other: list[Any], found: set[str]
) -> None:
    left, right = table_of(["id", "text"], one), table_of(["id", "text"], other)
    assert differing(left, right) == found


def test_rows_are_compared_as_multisets_and_under_a_key() -> None:
    columns = ["id", "text"]
    wanted = table_of(columns, [(1, "a"), (2, "b"), (3, "c")])
    there = table_of(["text", "id"], [("a", 1), ("a", 1), ("x", 2)])
    under_key = compare_tables(wanted, there, ("id",))
    assert (under_key.lost, under_key.duplicated, under_key.changed) == (1, 1, 1)
    plain = compare_tables(wanted, there, ())
    assert (plain.lost, plain.duplicated, plain.unexpected) == (2, 1, 1)
    told = examples_of(wanted, there)
    assert told == (
        'too much: id=1, text="a"',
        'too much: id=2, text="x"',
        'lost: id=2, text="b"',
        'lost: id=3, text="c"',
    )


def test_other_columns_are_no_equal_rows() -> None:
    with pytest.raises(UnreachableError, match="other columns than the answer: b"):
        compare_tables(table_of(["a"], [[1]]), table_of(["a", "b"], [[1, 2]]), ())


@pytest.mark.parametrize(
    ("one", "other"), [(1, 1.0), (1, True), (0, False), ("1", 1), (b"1", "1"), (None, "null")]
)
def test_values_of_other_kinds_are_not_the_same(one: Any, other: Any) -> None:
    assert canonical(one) != canonical(other)


# The verdict.


@pytest.mark.parametrize(
    ("kinds", "recorded", "verdict"),
    [
        (["exact", "exact"], 2, "proven"),
        (["exact", "exact"], 3, "unknown"),
        (["exact", "missed"], 2, "unknown"),
        (["exact", "wrong"], 3, "convicted"),
        (["torn"], 1, "convicted"),
        (["stuck"], 1, "convicted"),
        (["unreadable"], 1, "convicted"),
        (["detected"], 1, "proven"),
        ([], 0, "unknown"),
    ],
)
def test_the_worst_outcome_decides(kinds: list[OutcomeKind], recorded: int, verdict: str) -> None:
    outcomes = [Outcome(point=point(n), kind=kind) for n, kind in enumerate(kinds)]
    assert judge_outcomes(outcomes, recorded=recorded).kind == verdict


def test_rows_that_differ_by_themselves_convict() -> None:
    outcomes = [Outcome(point=point(1), kind="exact")]
    found = judge_outcomes(outcomes, recorded=1, unrepeatable=("u",))
    assert (found.kind, found.reasons) == (
        "convicted",
        ("one batch, run twice, gives other rows: u",),
    )
