"""Both ledgers side by side: which batches differ, and what is said where a sink does not tell."""

import pytest

from holdfast.core.evidence.sink_memory import (
    BATCHES_MAX,
    MarkedBatch,
    MemoryKind,
    OtherWriter,
    SinkMemory,
    Skips,
    newest_marks,
    other_writers,
)
from holdfast.core.evidence.two_ledgers import Differs, differences, side_by_side
from holdfast.core.fact import Absent, Fact, Known, Unreadable

ORIGIN = "here"


def marks(*batches: int) -> tuple[MarkedBatch, ...]:
    return newest_marks(MarkedBatch(batch=b, rows=1, at_ms=b, where=f"v{b}") for b in batches)


def memory(
    last: int | Fact[int],
    *listed: int,
    kind: MemoryKind = "delta",
    skips: Skips = "at-or-below",
) -> SinkMemory:
    return SinkMemory(
        sink=ORIGIN,
        kind=kind,
        exists=True,
        key=Absent(ORIGIN),
        last=Known(last, ORIGIN) if isinstance(last, int) else last,
        skips=skips,
        table_id=Absent(ORIGIN),
        batches=marks(*listed),
        oldest_known=min(listed, default=None),
    )


def told(
    planned: range | list[int], committed: range | list[int], sink: SinkMemory
) -> list[tuple[int, Differs | None]]:
    return [(row.batch, row.differs) for row in differences(planned, committed, sink).rows]


def test_nothing_differs_where_both_hold_the_same() -> None:
    found = differences(range(5), range(5), memory(4, 3, 4))
    assert (found.rows, found.left_off, found.ahead_by) == ((), 0, 0)


def test_the_batch_that_died_between_sink_and_commit() -> None:
    assert told(range(5), range(4), memory(4, 3, 4)) == [(4, "in-sink-not-committed")]


def test_the_batch_that_died_before_the_sink() -> None:
    assert told(range(5), range(4), memory(3, 2, 3)) == [(4, "planned-in-neither")]


def test_committed_above_the_last_that_the_sink_holds() -> None:
    assert told(range(5), range(5), memory(2, 1, 2)) == [
        (4, "committed-not-in-sink"),
        (3, "committed-not-in-sink"),
    ]


def test_a_hole_among_listed_marks_is_a_batch_that_was_dropped() -> None:
    assert told(range(6), range(6), memory(5, 2, 3, 5)) == [(4, "committed-not-in-sink")]


def test_nothing_is_said_of_batches_older_than_the_listed_marks() -> None:
    rows = side_by_side(range(4), range(4), memory(3, 3)).rows
    assert [(row.batch, row.sink) for row in rows] == [
        (3, "held"),
        (2, "unknown"),
        (1, "unknown"),
        (0, "unknown"),
    ]
    assert all(row.differs is None for row in rows)


def test_a_checkpoint_that_was_emptied_and_kept_its_id() -> None:
    found = differences([], [], memory(2, 0, 1, 2))
    assert [(row.batch, row.differs) for row in found.rows] == [
        (2, "sink-ahead"),
        (1, "sink-ahead"),
        (0, "sink-ahead"),
    ]
    assert found.ahead_by == 3


def test_how_far_ahead_is_told_although_no_mark_is_listed() -> None:
    found = differences(range(3), range(3), memory(7))
    assert [(row.batch, row.differs) for row in found.rows] == [(7, "sink-ahead")]
    assert (found.ahead_by, found.left_off) == (5, 4)


def test_a_table_that_holds_no_batch_of_the_query() -> None:
    assert told([0, 1], [0], memory(Absent(ORIGIN))) == [
        (1, "planned-in-neither"),
        (0, "committed-not-in-sink"),
    ]


@pytest.mark.parametrize(
    "sink",
    [
        memory(Unreadable(ORIGIN, "gone", "HF007")),
        memory(Absent(ORIGIN), kind="none", skips="never"),
    ],
)
def test_a_sink_that_does_not_tell_differs_in_nothing(sink: SinkMemory) -> None:
    found = differences(range(3), range(2), sink)
    assert (found.rows, found.ahead_by) == ((), None)
    assert {row.sink for row in side_by_side(range(3), range(2), sink).rows} == {"unknown"}


def test_rows_are_bounded_and_the_rest_is_counted() -> None:
    found = differences(range(10), range(10), memory(Absent(ORIGIN)), limit=3)
    assert [row.batch for row in found.rows] == [9, 8, 7]
    assert found.left_off == 7


def test_each_row_carries_its_mark() -> None:
    row = side_by_side(range(3), range(3), memory(2, 2)).rows[0]
    assert row.mark is not None and row.mark.where == "v2"


def test_marks_are_bounded_and_the_first_of_a_batch_counts() -> None:
    found = marks(*range(BATCHES_MAX + 5))
    assert len(found) == BATCHES_MAX and found[0].batch == BATCHES_MAX + 4
    twice = newest_marks(
        MarkedBatch(batch=1, rows=None, at_ms=None, where=where) for where in ("new", "old")
    )
    assert [mark.where for mark in twice] == ["new"]


def test_other_writers_have_their_highest_batch_once() -> None:
    assert other_writers([("b", None), ("a", 3), ("b", 2), ("a", 1), ("b", None)]) == (
        OtherWriter(key="a", last=3),
        OtherWriter(key="b", last=2),
    )
