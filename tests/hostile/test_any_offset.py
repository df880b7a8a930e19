"""Any JSON may stand as the position of a source, and any two of them may follow one another."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.offsets.kind import advances, amount, compare
from holdfast.core.offsets.registry import KINDS, interpret_offset
from holdfast.flows.diff import diff
from holdfast.flows.show import show
from holdfast.surfaces.render.show_json import show_result

from .small_checkpoint import make_checkpoint, offsets_text, write

TRACES = ("file-log", "initial-offset", "start-time", "iceberg", "kinesis")
KEYS = st.sampled_from(
    (
        *("0", "1", "topic", "logOffset", "offset", "timestamp", "value", "runTimeMs", "metadata"),
        *("reservoirId", "reservoirVersion", "index", "snapshot_id", "position", "scan_all_files"),
        *("streamName", "shardId-0", "iteratorPosition", "iteratorType", "", "٣"),
    )
) | st.text(max_size=3)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
LIKELY = st.sampled_from(
    [
        '{"logOffset":3}',
        '{"t":{"0":1,"1":2}}',
        '{"offset":1,"timestamp":2}',
        '{"0":{"value":1,"runTimeMs":2}}',
        '{"reservoirId":"a","reservoirVersion":3,"index":-1,"isStartingVersion":true}',
        '{"snapshot_id":1,"position":2,"scan_all_files":false}',
        '{"shardId-0":{"iteratorType":"X","iteratorPosition":"12"}}',
        '{"a": 1}',
        "{}",
        "[]",
        "7",
        "-",
        "not json",
        '"\\ud800"',
    ]
)
TEXTS = LIKELY | VALUES.map(json.dumps) | st.text(min_size=1, max_size=9)


@given(TEXTS, TEXTS, st.frozensets(st.sampled_from(TRACES)))
def test_positions_of_one_kind_can_be_put_side_by_side(
    left_text: str, right_text: str, traces: frozenset[str]
) -> None:
    left = interpret_offset(left_text, traces)  # type: ignore[arg-type]
    right = interpret_offset(right_text, traces)  # type: ignore[arg-type]
    assert left.kind in KINDS
    assert compare(left.kind, left.value, left.value) == "same"
    if left.kind is right.kind:
        opposite = {"ahead": "behind", "behind": "ahead"}
        one = compare(left.kind, left.value, right.value)
        assert compare(left.kind, right.value, left.value) == opposite.get(one, one)
        moves = advances(left.kind, left.value, right.value)
        total = amount(moves)
        assert total is None or total == sum(move.amount or 0 for move in moves)


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("any")
    return make_checkpoint(folder / "one"), make_checkpoint(folder / "other")


@settings(deadline=None)
@given(
    before=st.lists(TEXTS, min_size=1, max_size=2), after=st.lists(TEXTS, min_size=1, max_size=2)
)
def test_any_plan_may_follow_any_other(
    roots: tuple[Path, Path], before: list[str], after: list[str]
) -> None:
    root, other = roots
    write(root, "offsets/0", offsets_text(*before).encode("utf-8", "replace"))
    write(root, "offsets/1", offsets_text(*after).encode("utf-8", "replace"))
    for batch in (None, 0, 1):
        shown = show(str(root), batch=batch, verify=True)
        json.dumps(show_result(shown), allow_nan=False)
    diff(str(root), str(other))
