"""The HTTP sink against a real server that fails in every way a server can."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.records.local import LocalRecords
from holdfast.adapters.sinks.own.http import open_sink
from holdfast.adapters.sinks.own.sink import OwnSink
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError, UnreachableError, UsageError
from tests.own.chunk_server import requests_of, rows_in

QUERY = "0b54a8a2-6d0e-4f0c-9f57-3f6c1b6c7d01"
ROWS = [(number, f"row {number}") for number in range(5)]


def sink_at(port: int, folder: Path, waits: list[float] | None = None, **options: Any) -> OwnSink:
    url = f"http://127.0.0.1:{port}/{folder}"
    given = {"url": url, "chunk_rows": 2, "attempts": 3, "remembers": True, "name": "rows"}
    sink = open_sink({**given, **options})
    sink._records = LocalRecords(folder / "records")
    sink._sleep = (waits if waits is not None else []).append
    sink.open(QUERY, 1)
    return sink


def batch_of(batch_id: int = 0, rows: list[Any] = ROWS) -> Batch:
    return Batch(
        query_id=QUERY,
        sink="rows",
        batch_id=batch_id,
        epoch=1,
        columns=("id", "text"),
        rows=lambda: iter(rows),
        offsets={"0": batch_id},
    )


def faults(folder: Path, *words: str) -> None:
    (folder / "faults").write_text(" ".join(words))


def stored(folder: Path) -> Counter[tuple[int, str]]:
    return Counter((row["id"], row["text"]) for row in rows_in(folder))


def test_each_chunk_is_one_request_with_its_token(port: int, tmp_path: Path) -> None:
    sink = sink_at(port, tmp_path, headers={"Authorization": "Bearer s3cret", "X-Kind": "orders"})
    assert sink.write(batch_of()) is True
    sent = [request["headers"] for request in requests_of(tmp_path)]
    assert len({headers["Idempotency-Key"] for headers in sent}) == len(sent) == 3
    assert {headers["Content-Type"] for headers in sent} == {"application/x-ndjson"}
    assert {headers["Authorization"] for headers in sent} == {"Bearer s3cret"}
    assert stored(tmp_path) == Counter(ROWS)


@pytest.mark.parametrize("fault", ["lose", "cut", "503", "500", "429", "408", "425", "409"])
def test_what_can_pass_is_tried_again_under_the_same_token(
    port: int, tmp_path: Path, fault: str
) -> None:
    faults(tmp_path, "ok", fault, fault)
    waits: list[float] = []
    assert sink_at(port, tmp_path, waits).write(batch_of()) is True
    assert stored(tmp_path) == Counter(ROWS)
    tokens = [request["headers"]["Idempotency-Key"] for request in requests_of(tmp_path)]
    assert tokens[1] == tokens[2] == tokens[3]
    assert len(set(tokens)) == 3
    assert len(waits) == 2 and 0 < waits[0] < waits[1] * 2


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_a_server_that_does_not_come_to_an_end_is_given_up(
    port: int, tmp_path: Path, fault: str
) -> None:
    faults(tmp_path, fault)
    assert sink_at(port, tmp_path, timeout_seconds=0.5).write(batch_of()) is True
    assert stored(tmp_path) == Counter(ROWS)


def test_a_server_says_how_long_to_wait(port: int, tmp_path: Path) -> None:
    waits: list[float] = []
    faults(tmp_path, "429=7", "503=100000")
    assert sink_at(port, tmp_path, waits).write(batch_of()) is True
    assert waits == [7.0, 120.0]


def test_tries_are_bounded_and_the_next_start_goes_on(port: int, tmp_path: Path) -> None:
    faults(tmp_path, "ok", "lose", "503", "503")
    sink = sink_at(port, tmp_path)
    with pytest.raises(UnreachableError, match="chunk 1 of batch 0 was not acknowledged, 3 times"):
        sink.write(batch_of())
    assert sink.last_batch(QUERY) is None
    assert sink.write(batch_of()) is True
    assert stored(tmp_path) == Counter(ROWS)
    assert len(requests_of(tmp_path)) == 6, "the first chunk was sent once"


def test_a_server_that_forgets_gets_one_chunk_twice_and_no_more(port: int, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{port}/{tmp_path}?forget"
    faults(tmp_path, "ok", "lose")
    sink = sink_at(port, tmp_path, url=url, remembers=False)
    assert sink.guarantee == "at-least-once"
    assert sink.write(batch_of()) is True
    assert stored(tmp_path).total() == len(ROWS) + 2
    assert set(stored(tmp_path)) == set(ROWS)


@pytest.mark.parametrize("status", [400, 401, 404, 413, 422])
def test_what_cannot_pass_is_refused_at_once(port: int, tmp_path: Path, status: int) -> None:
    faults(tmp_path, str(status))
    sink = sink_at(port, tmp_path, headers={"Authorization": "Bearer s3cret"})
    with pytest.raises(RefusedError, match=f"the server answered {status}") as caught:
        sink.write(batch_of())
    assert caught.value.subject.startswith("http://127.0.0.1") and caught.value.next_action
    assert "s3cret" not in f"{caught.value} {caught.value.subject} {caught.value.next_action}"
    assert len(requests_of(tmp_path)) == 1


def test_no_redirect_is_followed(port: int, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    faults(tmp_path, f"307=http://127.0.0.1:{port}/{tmp_path}/other")
    sink = sink_at(port, tmp_path, headers={"Authorization": "Bearer s3cret"})
    with pytest.raises(RefusedError, match="the server answered 307") as caught:
        sink.write(batch_of())
    assert "redirects are not followed" in caught.value.next_action
    assert not (tmp_path / "other" / "requests").exists()


def test_nobody_listens(tmp_path: Path) -> None:
    sink = sink_at(1, tmp_path)
    with pytest.raises(UnreachableError, match="ConnectionRefusedError"):
        sink.write(batch_of())


def test_a_body_can_be_one_array(port: int, tmp_path: Path) -> None:
    assert sink_at(port, tmp_path, body="array").write(batch_of()) is True
    (first, *_) = rows_in(tmp_path)
    assert isinstance(first, list) and len(first) == 2


def test_what_json_cannot_hold_is_refused_before_it_is_sent(port: int, tmp_path: Path) -> None:
    sink = sink_at(port, tmp_path)
    with pytest.raises(RefusedError, match=r"cannot be stored inside nested data"):
        sink.write(batch_of(rows=[(1, float("nan"))]))
    assert not (tmp_path / "requests").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": None}, "option 'url' is missing"),
        ({"url": "ftp://host/x"}, "url must begin with https:// or http://"),
        ({"url": "https://"}, "url must begin with https:// or http://"),
        ({"url": "https://host:port/x"}, "url is no URL"),
        ({"url": "https://host/a b"}, "url must begin with"),
        ({"url": "https://me:pass@host/x"}, "url holds a user"),
        ({"url": "https://host/x#y"}, "url has a fragment"),
        ({"method": "GET"}, "method cannot be 'GET'"),
        ({"body": "csv"}, "body cannot be 'csv'"),
        ({"headers": ["a"]}, "headers must be a mapping"),
        ({"headers": {"a b": "c"}}, "headers have a name that is none"),
        ({"headers": {"A": "b\r\nX: y"}}, "the header A must be one line of ASCII text"),
        ({"headers": {"host": "x"}}, "the header host is not yours to set"),
        ({"headers": {"idempotency-key": "x"}}, "the header Idempotency-Key holds the token"),
        ({"timeout_seconds": 0}, "timeout_seconds cannot be 0"),
        ({"timeout_seconds": "soon"}, "timeout_seconds must be a number"),
        ({"chunk_rows": 0}, "chunk_rows cannot be 0"),
        ({"attempts": 100}, "attempts cannot be 100"),
        ({"remembers": "perhaps"}, "remembers must be true or false"),
        ({"guarantee": "exactly-once"}, "exactly once cannot be had from this target"),
        ({"guarantee": "twice"}, "guarantee cannot be 'twice'"),
        ({"trial": {"url": "http://x"}}, "trial needs read"),
        ({"urll": "x"}, "unknown option 'urll'"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_sink({"url": "https://host/path", **options})
    assert message in caught.value.message
    assert "pass" not in json.dumps([caught.value.message, caught.value.subject])
