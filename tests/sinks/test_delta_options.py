"""Options and marks of the Delta sink, without Spark."""

from typing import Any

import pytest

from holdfast.adapters.sinks.delta import open_sink
from holdfast.adapters.sinks.delta_ledger import DeltaLedgerSink
from holdfast.adapters.sinks.delta_mark import BATCH_MAX, EPOCH_MAX, DeltaMark, mark_of
from holdfast.adapters.sinks.delta_merge import merge_statement
from holdfast.adapters.sinks.delta_options import DeltaSinkOptions
from holdfast.core.running.ports import NativeSink
from holdfast.errors import FencedError, InternalError, UsageError

GOOD: dict[str, Any] = {"path": "s3a://lake/gold/", "mode": "upsert", "key": "id"}


def test_append_is_left_to_delta() -> None:
    options = {"path": "/lake/raw", "partition_by": ["day"], "mergeSchema": "true"}
    expected = NativeSink(
        format="delta", path="/lake/raw", options={"mergeSchema": "true"}, partition_by=("day",)
    )
    assert open_sink(options) == expected
    assert open_sink({**options, "mode": "append", "create": False}) == expected
    with pytest.raises(UsageError, match="delta sink: mode append takes no key"):
        open_sink({**options, "key": ["id"]})


def test_append_with_a_ledger_is_ours() -> None:
    sink = open_sink({"path": "/lake/raw", "ledger": True, "create": True})
    assert isinstance(sink, DeltaLedgerSink)
    native = open_sink({"path": "/lake/raw", "ledger": False, "merge_schema": True})
    assert native == NativeSink(format="delta", path="/lake/raw", options={"mergeSchema": "true"})


def test_upsert_is_ours() -> None:
    sink = open_sink(GOOD)
    assert isinstance(sink, DeltaLedgerSink)
    assert sink.name == "gold"


def test_options_of_a_declaration() -> None:
    options = DeltaSinkOptions.parse(
        {**GOOD, "key": ["id", "a, b"], "version": None, "create": "true", "partition_by": "day"}
    )
    assert options == DeltaSinkOptions(
        path="s3a://lake/gold/", key=("id", "a, b"), create=True, partition_by=("day",)
    )


@pytest.mark.parametrize(
    ("options", "message", "next_action"),
    [
        ({"kee": "id"}, "unknown option 'kee'", "did you mean 'key'?"),
        ({"mergeSchema": True}, "unknown option 'mergeSchema'", "did you mean 'merge_schema'?"),
        ({"path": None}, "option 'path' is missing", "add path: …"),
        ({"path": " "}, "path cannot be empty", "name the folder"),
        ({"path": 7}, "path must be text", "put the value of path in quotes"),
        ({"mode": "merge"}, "mode cannot be 'merge'", "use append or upsert"),
        ({"key": None}, "mode upsert needs a key", "name the key columns: key: [id]"),
        ({"key": 3}, "key must be a column name or a list of them", "key: [id]"),
        ({"key": ["a", "a"]}, "key names a column twice", "once"),
        ({"key": [""]}, "key names an empty column", "give it a name"),
        ({"version": " "}, "version cannot be empty", "name a column"),
        ({"version": "id"}, "version 'id' is part of the key", "use another column"),
        ({"columns": "id long"}, "columns is for creating the table", "add create: true"),
        ({"partition_by": "day"}, "partition_by is for creating the table", "add create: true"),
        ({"tombstone": "id"}, "tombstone 'id' is part of the key", "use another column"),
        ({"tombstone": "v", "version": "v"}, "tombstone 'v' is stored", "use another column"),
        ({"mode": "append"}, "mode append takes no key", "or use mode: upsert"),
        ({"ledger": False}, "mode upsert has a ledger always", "leave ledger out"),
        ({"merge_schema": 1}, "merge_schema must be true or false", "merge_schema: true"),
        ({"create": "maybe"}, "create must be true or false", "write create: true"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str, next_action: str) -> None:
    with pytest.raises(UsageError) as caught:
        DeltaSinkOptions.parse({**GOOD, **options})
    assert caught.value.message.startswith(f"delta sink: {message}")
    assert next_action in caught.value.next_action


def test_names_are_quoted() -> None:
    options = DeltaSinkOptions(path="/a`b", key=("k`",), version="v")
    assert merge_statement(options, ["k`", "v"], "rows") == (
        "MERGE INTO delta.`/a``b` AS held USING `rows` AS came ON held.`k``` <=> came.`k```"
        " WHEN MATCHED AND (came.`v` > held.`v` OR (held.`v` IS NULL AND came.`v` IS NOT NULL))"
        " THEN UPDATE SET `v` = came.`v`"
        " WHEN NOT MATCHED THEN INSERT (`k```, `v`) VALUES (came.`k```, came.`v`)"
    )
    deletes = DeltaSinkOptions(path="/a", key=("k",), tombstone="gone")
    assert merge_statement(deletes, ["k", "v", "gone"], "rows") == (
        "MERGE INTO delta.`/a` AS held USING `rows` AS came ON held.`k` <=> came.`k`"
        " WHEN MATCHED AND came.`gone` <=> true THEN DELETE"
        " WHEN MATCHED THEN UPDATE SET `v` = came.`v`"
        " WHEN NOT MATCHED AND NOT (came.`gone` <=> true) THEN INSERT (`k`, `v`)"
        " VALUES (came.`k`, came.`v`)"
    )
    only_keys = DeltaSinkOptions(path="/a", key=("k",))
    assert "WHEN MATCHED" not in merge_statement(only_keys, ["k"], "rows")


@pytest.mark.parametrize("epoch", [0, 1, 7, EPOCH_MAX])
@pytest.mark.parametrize("batch", [None, 0, 1, 41, BATCH_MAX])
def test_a_mark_is_read_back_as_it_was(epoch: int, batch: int | None) -> None:
    mark = DeltaMark(epoch=epoch, last_batch=batch)
    assert mark_of(mark.version) == mark
    assert 0 <= mark.version < 2**63


def test_marks_are_ordered_by_epoch_and_then_by_batch() -> None:
    ordered = [(e, b) for e in (1, 2, 3) for b in (None, 0, 1, BATCH_MAX)]
    versions = [DeltaMark(epoch=epoch, last_batch=batch).version for epoch, batch in ordered]
    assert versions == sorted(set(versions))
    assert DeltaMark(epoch=3, last_batch=41).version == 3 * 2**40 + 42


def test_what_does_not_fit_into_a_mark_is_refused() -> None:
    for epoch, batch in ((EPOCH_MAX + 1, 0), (-1, 0), (1, BATCH_MAX + 1), (1, -1)):
        with pytest.raises(InternalError, match="does not fit into the mark"):
            DeltaMark(epoch=epoch, last_batch=batch)


def test_what_a_mark_says() -> None:
    mark = DeltaMark(epoch=2, last_batch=5)
    assert [mark.holds(batch) for batch in (0, 5, 6)] == [True, True, False]
    assert not DeltaMark(epoch=2, last_batch=None).holds(0)
    mark.check_fence(2, "q", "gold")
    mark.check_fence(3, "q", "gold")
    with pytest.raises(FencedError, match="epoch 2 has taken over sink 'gold'; this is epoch 1"):
        mark.check_fence(1, "q", "gold")
