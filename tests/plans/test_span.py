"""Ranges of sources, as the plan of a batch spells them."""

import json

import pytest

from holdfast.core.plans.span import PartitionOffset, delta_span, file_span, kafka_span
from holdfast.errors import UsageError

KAFKA = '{"orders":{"0":1700,"1":40}}'
DELTA = json.dumps(
    {
        "sourceVersion": 1,
        "reservoirId": "t",
        "reservoirVersion": 7,
        "index": -1,
        "isStartingVersion": False,
    }
)


def at(*texts: str) -> tuple[PartitionOffset, ...]:
    return tuple(map(PartitionOffset.parse, texts))


def test_partitions_that_are_not_named_give_nothing() -> None:
    span = kafka_span(KAFKA, at("orders:0:1500"), at("orders:0:1700"))
    assert json.loads(span.start or "") == {"orders": {"0": 1500, "1": 40}}
    assert json.loads(span.end) == {"orders": {"0": 1700, "1": 40}}
    assert (span.amount, span.unit) == (200, "records")


@pytest.mark.parametrize(
    ("since", "until"),
    [
        (["orders:0:1500"], []),
        ([], []),
        (["orders:0:1500"], ["orders:1:20"]),
        (["orders:0:1500", "orders:0:1501"], ["orders:0:1600"]),
        (["orders:0:1600"], ["orders:0:1600"]),
        (["orders:0:1600"], ["orders:0:1500"]),
        (["orders:0:1600"], ["orders:0:1701"]),
        (["orders:9:1"], ["orders:9:2"]),
        (["others:0:1"], ["others:0:2"]),
    ],
)
def test_what_is_no_range_of_kafka(since: list[str], until: list[str]) -> None:
    with pytest.raises(UsageError):
        kafka_span(KAFKA, at(*since), at(*until))


@pytest.mark.parametrize("text", ["", "orders", "orders:0", "orders:0:x", "orders:-1:5", ":0:5"])
def test_what_is_no_position(text: str) -> None:
    with pytest.raises(UsageError, match="no position"):
        PartitionOffset.parse(text)


def test_versions_are_both_included() -> None:
    span = delta_span(DELTA, 2, 4)
    start, end = json.loads(span.start or ""), json.loads(span.end)
    assert (start["reservoirVersion"], end["reservoirVersion"], span.amount) == (2, 5, 3)
    assert start["reservoirId"] == end["reservoirId"] == "t"


@pytest.mark.parametrize(("first", "last"), [(3, 2), (-1, 2), (0, 7)])
def test_versions_that_the_query_has_not_passed(first: int, last: int) -> None:
    with pytest.raises(UsageError, match="no range"):
        delta_span(DELTA, first, last)


def test_files_are_listed_as_the_log_of_their_source_lists_them() -> None:
    span = file_span("0", [("file:///in/a%20b.json", 5), ("file:///in/c.json", 6)])
    version, *entries = span.files["sources/0/0"].decode().split("\n")
    assert version == "v1"
    assert [json.loads(entry)["path"] for entry in entries] == [
        "file:///in/a%20b.json",
        "file:///in/c.json",
    ]
    assert span.start is None and span.amount == 2
