"""Rows of a batch as Kafka records.

Columns are those of Spark's own Kafka sink: `value`, and where wanted `key`, `headers`, `topic` and
`partition`. With `value: json` all columns are data: those that `key` names become the key and the
others the value, as objects of JSON without null fields.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import repeat
from typing import Any

from holdfast.adapters.sinks.kafka.options import KafkaSinkOptions
from holdfast.adapters.sinks.sql_types import canonical_json
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError

COLUMNS = ("key", "value", "headers", "topic", "partition")
ANY_PARTITION = -1
"""The partitioner chooses."""

Headers = list[tuple[str, str | bytes | None]]
Record = tuple[str, bytes | None, bytes | None, Headers | None, int]
"""Topic, key, value, headers, partition. A plain tuple, as there are many."""

_PARTITION_MAX = 2**31 - 1
_MODULUS = 2**128
_TYPES = {
    "key": ("string", "binary"),
    "value": ("string", "binary"),
    "topic": ("string",),
    "partition": ("int",),
    "headers": ("array<struct<key:string,value:binary>>",),
}
"""What Spark's own sink takes (KafkaWriter.validateQuery)."""
_AS_SENT = {
    "key": "CAST(`key` AS BINARY)",
    "value": "CAST(`value` AS BINARY)",
    "headers": "headers",
    "topic": "topic",
    "partition": "partition",
}


class RecordDigest:
    """Counts and digests records, whatever their order.

    The sum, modulo 2**128, of the BLAKE2b (16 bytes) of each: `n` or `<size>:<bytes>` for key and
    value, then the same for name and value of each header. Topic, partition and time are left out,
    so that it can be computed again from what a consumer reads.
    """

    def __init__(self) -> None:
        """No records yet."""
        self.rows = 0
        self._sum = 0

    def add(self, key: bytes | None, value: bytes | None, headers: Headers | None) -> None:
        """Take a record in."""
        data = b"n" if key is None else b"%d:%b" % (len(key), key)
        data += b"n" if value is None else b"%d:%b" % (len(value), value)
        for name, content in headers or ():
            raw = name.encode("utf-8")
            data += b"%d:%b" % (len(raw), raw)
            content = content.encode("utf-8") if isinstance(content, str) else content
            data += b"n" if content is None else b"%d:%b" % (len(content), content)
        self._sum += int.from_bytes(blake2b(data, digest_size=16).digest(), "big")
        self.rows += 1

    def hex(self) -> str:
        """The digest so far, 32 hexadecimal digits; all zeros for no records."""
        return f"{self._sum % _MODULUS:032x}"


def records_of(batch: Batch, options: KafkaSinkOptions) -> Iterator[Record]:
    """The records of a batch, one after the other; asks for its rows once.

    Raises RefusedError, before anything is asked for where the columns do not fit.
    """
    _check_columns(batch, options)
    if batch.computed is not None:
        return _computed(batch, options, batch.computed)
    if options.value == "json":
        return _json_records(batch, options)
    return _plain_records(batch, options)


def _computed(
    batch: Batch,
    options: KafkaSinkOptions,
    compute: Callable[[Sequence[str]], Iterator[Sequence[list[Any]]]],
) -> Iterator[Record]:
    """Let the engine make key and value: many rows at a time, and not one by one in Python."""
    if options.value == "json":
        assert options.topic is not None
        data = [name for name in batch.columns if name not in options.key]
        wanted = ["value", *(["key"] if options.key else [])]
        expressions = [_json_expression(data)]
        if options.key:
            expressions.append(_json_expression(options.key))
    else:
        left_out = ("topic",) if options.topic is not None else ()
        wanted = [name for name in batch.columns if name not in left_out]
        expressions = [_AS_SENT[name] for name in wanted]
    number = 0
    for columns in compute(expressions):
        by_name = dict(zip(wanted, columns, strict=True))
        values = by_name["value"]
        for record in zip(
            by_name.get("topic") or repeat(options.topic, len(values)),
            by_name.get("key") or repeat(None),
            values,
            _all_headers(by_name.get("headers")),
            by_name.get("partition") or repeat(ANY_PARTITION),
            strict=False,
        ):
            number += 1
            topic, key, value, headers, partition = record
            if topic is None:
                raise _misfit(batch, f"row {number} names no topic")
            if partition != ANY_PARTITION:
                record = (topic, key, value, headers, _partition(batch, number, partition))
            yield record


def _all_headers(column: list[Any] | None) -> Iterator[Headers | None]:
    return repeat(None) if column is None else map(_engine_headers, column)


def _engine_headers(given: Any) -> Headers | None:
    return None if given is None else [(each["key"], each["value"]) for each in given]


def _json_expression(names: Sequence[str]) -> str:
    quoted = ", ".join("`" + name.replace("`", "``") + "`" for name in names)
    made = f"to_json(struct({quoted}), map('ignoreNullFields', 'true'))"
    return f"CAST({made} AS BINARY)"


def _json_records(batch: Batch, options: KafkaSinkOptions) -> Iterator[Record]:
    assert options.topic is not None
    keys = [batch.columns.index(name) for name in options.key]
    data = [place for place in range(len(batch.columns)) if place not in keys]
    for number, row in enumerate(_rows(batch), start=1):
        try:
            value = _json(batch.columns, row, data)
            key = _json(batch.columns, row, keys) if keys else None
        except ValueError as error:
            raise _misfit(batch, f"row {number}: {error}") from error
        yield options.topic, key, value, None, ANY_PARTITION


def _plain_records(batch: Batch, options: KafkaSinkOptions) -> Iterator[Record]:
    places = {name: place for place, name in enumerate(batch.columns)}

    def get(row: Sequence[Any], name: str) -> Any:
        return row[places[name]] if name in places else None

    for number, row in enumerate(_rows(batch), start=1):
        topic = options.topic or get(row, "topic")
        if not isinstance(topic, str):
            raise _misfit(batch, f"row {number} names no topic")
        partition = get(row, "partition")
        yield (
            topic,
            _bytes(batch, number, "key", get(row, "key")),
            _bytes(batch, number, "value", get(row, "value")),
            _headers(batch, number, get(row, "headers")),
            ANY_PARTITION if partition is None else _partition(batch, number, partition),
        )


def _rows(batch: Batch) -> Iterator[Sequence[Any]]:
    for number, row in enumerate(batch.rows(), start=1):
        if len(row) != len(batch.columns):
            raise _misfit(batch, f"row {number} has {len(row)} values")
        yield row


def _json(names: Sequence[str], row: Sequence[Any], places: Sequence[int]) -> bytes:
    fields = (
        f"{json.dumps(names[place], ensure_ascii=False)}:{canonical_json(row[place])}"
        for place in places
        if row[place] is not None
    )
    return f"{{{','.join(fields)}}}".encode()


def _bytes(batch: Batch, number: int, column: str, value: Any) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    raise _misfit(batch, f"row {number}: {column} is {type(value).__name__}, no text and no bytes")


def _headers(batch: Batch, number: int, given: Any) -> Headers | None:
    if given is None:
        return None
    found: Headers = []
    for pair in given:
        if not isinstance(pair, Sequence) or len(pair) != 2 or not isinstance(pair[0], str):
            raise _misfit(batch, f"row {number}: a header is no pair of a name and a value")
        found.append((pair[0], _bytes(batch, number, "a header", pair[1])))
    return found


def _partition(batch: Batch, number: int, partition: Any) -> int:
    if partition is None:
        return ANY_PARTITION
    if not isinstance(partition, int) or not 0 <= partition <= _PARTITION_MAX:
        raise _misfit(batch, f"row {number}: partition cannot be {partition!r}")
    return partition


def _check_columns(batch: Batch, options: KafkaSinkOptions) -> None:
    columns = batch.columns
    if options.value == "json":
        lost = [name for name in options.key if name not in columns]
        if lost:
            raise _misfit(batch, f"it has no column {lost[0]!r}, which key names")
        if len(options.key) == len(columns):
            raise _misfit(batch, "all its columns are in the key, and none is left for the value")
        return
    extra = [name for name in columns if name not in COLUMNS]
    if "value" not in columns or extra:
        said = f"column {extra[0]!r} is none of a record" if extra else "it has no column 'value'"
        raise _misfit(batch, f"{said}; columns are {', '.join(COLUMNS)}, or add value: json")
    if options.topic is None and "topic" not in columns:
        raise _misfit(batch, "it has no column 'topic', and the sink has no topic")
    for name, fitting in _TYPES.items():
        found = batch.types.get(name)
        if name in columns and found is not None and found not in fitting:
            raise _misfit(batch, f"column {name!r} is {found}; it must be {' or '.join(fitting)}")


def _misfit(batch: Batch, said: str) -> RefusedError:
    return RefusedError(
        f"batch {batch.batch_id} does not fit sink {batch.sink!r}: {said}",
        subject=batch.query_id,
        next_action="change the transform; nothing of the batch was written",
    )
