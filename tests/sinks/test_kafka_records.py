"""Rows as Kafka records, without a broker."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from holdfast.adapters.sinks.kafka.options import KafkaSinkOptions
from holdfast.adapters.sinks.kafka.records import RecordDigest, records_of
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError

PLAIN: dict[str, Any] = {"servers": "a:1", "topic": "t"}
JSON: dict[str, Any] = {**PLAIN, "value": "json"}


def batch(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]] = (),
    types: dict[str, str] | None = None,
    computed: Any = None,
) -> Batch:
    return Batch(
        query_id="q",
        sink="t",
        batch_id=3,
        epoch=1,
        columns=columns,
        rows=lambda: iter(rows),
        offsets={},
        types=types or {},
        computed=computed,
    )


def records(given: Batch, options: dict[str, Any]) -> list[tuple[Any, ...]]:
    return list(records_of(given, KafkaSinkOptions.parse(options)))


class Engine:
    """Stands for Spark: keeps what it was asked for, and answers in chunks."""

    def __init__(self, *chunks: Sequence[list[Any]]) -> None:
        self.chunks = chunks
        self.asked: list[Sequence[str]] = []

    def __call__(self, expressions: Sequence[str]) -> Iterator[Sequence[list[Any]]]:
        self.asked.append(expressions)
        yield from self.chunks


def test_the_engine_makes_json() -> None:
    engine = Engine(([b"v1", b"v2"], [b"k1", b"k2"]), ([], []), ([b"v3"], [b"k3"]))
    given = batch(("id", "odd`name", "x"), computed=engine)
    assert records(given, {**JSON, "key": ["id"]}) == [
        ("t", b"k1", b"v1", None, -1),
        ("t", b"k2", b"v2", None, -1),
        ("t", b"k3", b"v3", None, -1),
    ]
    assert engine.asked == [
        [
            "CAST(to_json(struct(`odd``name`, `x`), map('ignoreNullFields', 'true')) AS BINARY)",
            "CAST(to_json(struct(`id`), map('ignoreNullFields', 'true')) AS BINARY)",
        ]
    ]


def test_the_engine_makes_records() -> None:
    headers = [[{"key": "h", "value": b"1"}], None]
    engine = Engine(([b"v", None], headers, ["a", "b"], [None, 2]))
    given = batch(("value", "headers", "topic", "partition"), computed=engine)
    assert records(given, {"servers": "a:1", "ledger": "l"}) == [
        ("a", None, b"v", [("h", b"1")], -1),
        ("b", None, None, None, 2),
    ]
    engine = Engine(([b"v"],))
    assert records(batch(("value", "topic"), computed=engine), PLAIN) == [
        ("t", None, b"v", None, -1)
    ]
    assert engine.asked == [["CAST(`value` AS BINARY)"]], "the topic of the sink counts"
    engine = Engine(([b"v"], [None]))
    with pytest.raises(RefusedError, match="row 1 names no topic"):
        records(batch(("value", "topic"), computed=engine), {"servers": "a:1", "ledger": "l"})


@pytest.mark.parametrize(
    ("columns", "types", "options", "said"),
    [
        (("key",), {}, PLAIN, "it has no column 'value'"),
        (("value", "id"), {}, PLAIN, "column 'id' is none of a record"),
        (("value",), {}, {"servers": "a:1", "ledger": "l"}, "it has no column 'topic'"),
        (("value",), {"value": "int"}, PLAIN, "column 'value' is int; it must be string or"),
        (("value", "partition"), {"partition": "bigint"}, PLAIN, "it must be int"),
        (("value", "headers"), {"headers": "map<string,binary>"}, PLAIN, "it must be array<"),
        (("id",), {}, {**JSON, "key": ["no"]}, "it has no column 'no', which key names"),
        (("id",), {}, {**JSON, "key": ["id"]}, "none is left for the value"),
    ],
)
def test_columns_that_do_not_fit_are_named_before_anything_runs(
    columns: Sequence[str], types: dict[str, str], options: dict[str, Any], said: str
) -> None:
    engine = Engine()
    with pytest.raises(RefusedError, match=f"batch 3 does not fit sink 't': .*{said}"):
        records_of(batch(columns, (), types, engine), KafkaSinkOptions.parse(options))
    assert engine.asked == []


@pytest.mark.parametrize(
    ("columns", "row", "said"),
    [
        (("value",), (1,), "row 1: value is int"),
        (("value", "key"), ("", 1.5), "row 1: key is float"),
        (("value",), ("", ""), "row 1 has 2 values"),
        (("value", "partition"), ("", -2), "row 1: partition cannot be -2"),
        (("value", "partition"), ("", "1"), "row 1: partition cannot be '1'"),
        (("value", "headers"), ("", [("a",)]), "row 1: a header is no pair"),
        (("value", "headers"), ("", [(1, b"")]), "row 1: a header is no pair"),
    ],
)
def test_values_that_do_not_fit_are_named(
    columns: Sequence[str], row: tuple[Any, ...], said: str
) -> None:
    with pytest.raises(RefusedError, match=said):
        records(batch(columns, [row]), PLAIN)


def test_json_of_rows() -> None:
    given = batch(("a", "b", "c"), [(1, None, "é"), (2, [1, None], float("nan"))])
    found = records_of(given, KafkaSinkOptions.parse(JSON))
    assert next(found) == ("t", None, '{"a":1,"c":"é"}'.encode(), None, -1)
    with pytest.raises(RefusedError, match="row 2: "):
        next(found)


def test_the_digest_does_not_depend_on_the_order_and_tells_records_apart() -> None:
    given: list[tuple[Any, Any, Any]] = [
        (None, b"", None),
        (b"", None, None),
        (b"", b"", None),
        (b"1", b"", None),
        (b"", b"1", None),
        (b"", b"", [("a", b"b")]),
        (b"", b"", [("ab", b"")]),
        (b"", b"", [("a", None), ("b", None)]),
    ]
    assert len({digest_of([record]) for record in given}) == len(given)
    assert digest_of(given) == digest_of(given[::-1]) != digest_of([*given, given[0]])
    assert digest_of([]) == "0" * 32


def digest_of(given: list[tuple[Any, Any, Any]]) -> str:
    digest = RecordDigest()
    for record in given:
        digest.add(*record)
    return digest.hex()
