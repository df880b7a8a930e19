"""What an offset means: recognised by its shape, compared and counted only where that is sound."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.offsets.kind import SourceTrace, advances, amount, compare
from holdfast.core.offsets.registry import KINDS, interpret_offset, kind_named

DELTA = (
    '{"sourceVersion":1,"reservoirId":"a","reservoirVersion":12,"index":-1,'
    '"isStartingVersion":false}'
)
ICEBERG = '{"version":1,"snapshot_id":123,"position":0,"scan_all_files":false}'
KINESIS = (
    '{"metadata":{"streamName":"s","batchId":"7"},'
    '"shardId-000":{"iteratorType":"AFTER_SEQUENCE_NUMBER","iteratorPosition":"49"}}'
)
NOTHING: frozenset[SourceTrace] = frozenset()


@pytest.mark.parametrize(
    ("text", "traces", "kind"),
    [
        ('{"topicA":{"0":23,"1":45}}', NOTHING, "kafka"),
        ("{}", {"initial-offset"}, "kafka"),
        ("{}", NOTHING, "opaque"),
        ('{"topicA":{"0":"23"}}', NOTHING, "opaque"),
        ('{"logOffset":4}', NOTHING, "file"),
        ("4", {"file-log"}, "file"),
        (DELTA, NOTHING, "delta"),
        (ICEBERG, NOTHING, "iceberg"),
        ("17", {"start-time"}, "rate"),
        ("17", NOTHING, "opaque"),
        ("-1", NOTHING, "opaque"),
        ('{"0":{"value":5,"runTimeMs":7}}', NOTHING, "rate"),
        ('{"offset":100,"timestamp":1000}', NOTHING, "rate-micro-batch"),
        ('{"offset": 100, "timestamp": 1000}', NOTHING, "python"),
        ('{"offset": 10}', NOTHING, "python"),
        ('{"version": 1, "offset": {"$timestamp": {"t": 17, "i": 0}}}', NOTHING, "opaque"),
        ('{"version": 1, "offset": {"_data": "82"}}', NOTHING, "opaque"),
        ('{"_data": "82"}', NOTHING, "opaque"),
        ('{"version": 1, "offset": {"page": 3}}', NOTHING, "python"),
        (KINESIS, NOTHING, "kinesis"),
        ('{"shardId-1":{"iteratorType":"LATEST"}}', NOTHING, "kinesis"),
        ('{"0":1}', NOTHING, "opaque"),
        ("[1,2]", NOTHING, "opaque"),
        ("not json", NOTHING, "opaque"),
        ('{"activeSourceName":"a","allSourceNames":[],"completedSourceNames":[]}', (), "opaque"),
    ],
)
def test_kind_is_recognised(text: str, traces: frozenset[SourceTrace], kind: str) -> None:
    offset = interpret_offset(text, frozenset(traces))
    assert offset.kind.name == kind
    assert offset.text == text
    assert all(p.text for p in offset.kind.positions(offset.value)) or text == "{}"


@pytest.mark.parametrize(
    ("kind", "left", "right", "order"),
    [
        ("kafka", {"t": {"0": 5}}, {"t": {"0": 5}}, "same"),
        ("kafka", {"t": {"0": 6}}, {"t": {"0": 5}}, "ahead"),
        ("kafka", {"t": {"0": 4, "1": 9}}, {"t": {"0": 5, "1": 9}}, "behind"),
        ("kafka", {"t": {"0": 6, "1": 1}}, {"t": {"0": 5, "1": 9}}, "mixed"),
        ("kafka", {"t": {"0": 6}}, {"t": {"0": 5, "1": 0}}, "mixed"),
        ("delta", json.loads(DELTA), {**json.loads(DELTA), "reservoirVersion": 9}, "ahead"),
        ("delta", json.loads(DELTA), {**json.loads(DELTA), "reservoirId": "b"}, "unknown"),
        ("delta", json.loads(DELTA), {**json.loads(DELTA), "sourceVersion": 3}, "same"),
        ("python", {"a": "x"}, {"a": "y"}, "unknown"),
        ("opaque", 3, 4, "behind"),
        ("opaque", {"a": 1}, {"a": 2}, "unknown"),
    ],
)
def test_order_is_said_only_where_it_is_known(
    kind: str, left: object, right: object, order: str
) -> None:
    assert compare(kind_named(kind), left, right) == order


def test_kafka_records_are_counted_per_partition_in_the_order_of_their_numbers() -> None:
    kind = kind_named("kafka")
    start = {"t": {"9": 10, "10": 5}}
    end = {"t": {"9": 14, "10": 5}}
    moves = advances(kind, start, end)
    assert [(m.labels, m.start, m.end, m.amount) for m in moves] == [
        (("t", "9"), "10", "14", 4),
        (("t", "10"), "5", "5", 0),
    ]
    assert amount(moves) == 4


def test_a_new_partition_makes_the_count_unknown_instead_of_wrong() -> None:
    moves = advances(kind_named("kafka"), {"t": {"0": 1}}, {"t": {"0": 2, "1": 700}})
    assert [m.amount for m in moves] == [1, None]
    assert amount(moves) is None


def test_another_delta_table_is_never_subtracted() -> None:
    moves = advances(kind_named("delta"), json.loads(DELTA), {**json.loads(DELTA), "index": 4})
    assert moves[0].amount is None
    assert moves[0].end == "version 12, file 4"


@given(text=st.text())
def test_any_text_has_a_kind_and_positions(text: str) -> None:
    offset = interpret_offset(text)
    assert offset.kind in KINDS
    assert advances(offset.kind, None, offset.value) is not None
    assert compare(offset.kind, offset.value, offset.value) == "same"
