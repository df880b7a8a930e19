"""What a progress event says, read from what real Spark reported."""

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.core.recording.progress import (
    batch_of,
    began_ms,
    by_batch,
    duration_ms,
    is_idle,
    lags,
    number,
    whole,
)
from tests.recording.events import event, idle

GOLDEN = Path(__file__).parent.parent / "golden"


def reported() -> list[dict[str, Any]]:
    paths = sorted(GOLDEN.glob("*/*/expected.json"))
    said = [json.loads(path.read_text(encoding="utf-8")).get("last_progress") for path in paths]
    return [progress for progress in said if progress]


def test_spark_says_batch_time_rows_and_duration_in_every_version() -> None:
    events = reported()
    assert len(events) > 100
    for progress in events:
        assert batch_of(progress) == progress["batchId"]
        assert began_ms(progress) is not None
        assert whole(progress, "numInputRows") == progress["numInputRows"]
        assert duration_ms(progress) is not None


def test_kafka_says_how_far_behind_it_is() -> None:
    path = GOLDEN / "4.2.0" / "kafka" / "expected.json"
    [lag] = lags(json.loads(path.read_text(encoding="utf-8"))["last_progress"])
    assert (lag.source, lag.metric, lag.counts) == (0, "maxOffsetsBehindLatest", "offsets")


@pytest.mark.parametrize(
    ("metrics", "wanted"),
    [
        ({"avgOffsetsBehindLatest": "1.5", "maxOffsetsBehindLatest": "4"}, ("offsets", 4.0)),
        ({"numFilesOutstanding": "3", "numBytesOutstanding": "900"}, ("files", 3.0)),
        ({"numBytesOutstanding": 900}, ("bytes", 900.0)),
    ],
)
def test_one_metric_of_a_source_is_taken(metrics: dict[str, Any], wanted: Any) -> None:
    [lag] = lags({"sources": [{"metrics": metrics}]})
    assert (lag.counts, lag.amount) == wanted


@pytest.mark.parametrize(
    "sources",
    [None, "x", [], [None], [{}], [{"metrics": None}], [{"metrics": {"numFilesOutstanding": "x"}}]],
)
def test_a_source_that_does_not_say_has_no_lag(sources: Any) -> None:
    assert lags({"sources": sources}) == ()


@pytest.mark.parametrize("value", [None, True, "x", "NaN", float("nan"), float("inf"), [], 10**400])
def test_what_is_no_number_is_none(value: Any) -> None:
    assert number({"n": value}, "n") is None


@pytest.mark.parametrize(
    "text", [None, 5, "", "yesterday", "2026-13-01T00:00:00.000Z", "2026-11-01"]
)
def test_what_is_no_time_is_none(text: Any) -> None:
    assert began_ms({"timestamp": text}) is None


def test_an_idle_event_is_told_from_a_batch_without_rows() -> None:
    assert is_idle(idle(4))
    assert not is_idle(event(4, rows=0))
    assert not is_idle(event(4))
    assert list(by_batch([event(3), idle(4), event(3, rows=7), {}])) == [3]
    assert by_batch([event(3), event(3, rows=7)])[3]["numInputRows"] == 7
