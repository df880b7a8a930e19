"""Arrow batches as the bytes of a binary COPY, and the hashes of their values.

Everything is done by column. A row is what lies between its values of changing length: of such a
stretch a table with one row for each row is filled, and Arrow joins the stretches. Columns come as
Spark makes them, go as the server declares them, and are hashed on the way, as the server would
do it. Loaded by name: it needs NumPy and Arrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.adapters.sinks.databases import postgres_hash

BEGIN = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"

HASHED_BYTES_MAX = 1_000
"""Of a value that is hashed here, a dozen bytes at a step; longer ones the server hashes."""

_DAYS, _MICROS = 10_957, 946_684_800_000_000
"""From 1970 to 2000, where PostgreSQL begins to count."""

_FIXED = {
    "smallint": ">i2",
    "integer": ">i4",
    "bigint": ">i8",
    "real": ">f4",
    "double precision": ">f8",
    "boolean": "u1",
    "date": ">i4",
    "timestamp with time zone": ">i8",
    "timestamp without time zone": ">i8",
}
_BYTES = ("text", "character varying", "bytea")
_FAST_SCALE_MAX = 16
"""With more digits after the point their groups of four do not fit into 64 bits."""


def can_write(declared: str) -> bool:
    """Whether a column of this type is written here."""
    return declared in _FIXED or declared in _BYTES or declared.startswith("numeric(")


@dataclass(frozen=True, slots=True)
class Piece:
    """One Arrow batch on its way."""

    data: Any
    """The bytes of its rows."""
    hashes: tuple[int, ...]
    """For each column of the batch the sum over its values."""
    long: tuple[tuple[int, Any], ...]
    """Columns by number with values that the server has to hash."""


def piece(batch: Any, declared: Sequence[str], seed: int, *, constant: Any = None) -> Piece:
    """The rows of a batch, for columns of these types.

    `constant`: the type of one column more, and the whole number that all rows have in it.
    """
    columns = [_column(batch.column(i), kind, seed) for i, kind in enumerate(declared)]
    given = list(columns)
    if constant is not None:
        kind, number = constant
        values = np.full(batch.num_rows, number, dtype=_FIXED[kind])
        given.append(_Column(header=values.dtype.itemsize, fixed=values))
    return Piece(
        _joined(given, batch.num_rows),
        tuple(column.hashed for column in columns),
        tuple((i, column.long) for i, column in enumerate(columns) if column.long is not None),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    header: Any
    """The length of each value, or of all; -1 for null."""
    fixed: Any = None
    """Values of one length, where none is null."""
    free: Any = None
    """Others, as binary of Arrow."""
    hashed: int = 0
    long: Any = None


def _joined(columns: "list[_Column]", rows: int) -> Any:
    """Lengths and fixed values up to the next free one are one stretch of each row."""
    parts: list[Any] = []
    stretch: list[tuple[Any, Any]] = [(">i2", len(columns))]
    for column in columns:
        stretch.append((">i4", column.header))
        if column.free is None:
            stretch.append((column.fixed.dtype, column.fixed))
        else:
            parts += [_stretch(stretch, rows), column.free]
            stretch = []
    if stretch:
        parts.append(_stretch(stretch, rows))
    joined = parts[0]
    if len(parts) > 1:
        joined = pc.binary_join_element_wise(
            *parts, b"", null_handling="replace", null_replacement=b""
        )
    assert joined.offset == 0
    return joined.buffers()[2]


def _stretch(fields: "list[tuple[Any, Any]]", rows: int) -> Any:
    kinds = [(f"f{i}", kind) for i, (kind, _) in enumerate(fields)]
    filled = np.empty(rows, dtype=kinds)
    for i, (_, values) in enumerate(fields):
        filled[f"f{i}"] = values
    return _binary(filled.view(np.uint8), filled.dtype.itemsize, rows, None)


def _binary(raw: Any, width: int, rows: int, valid: Any) -> Any:
    """Values of one length as binary of Arrow; nothing is copied."""
    places = np.arange(rows + 1, dtype=np.int32) * np.int32(width)
    buffers = [valid, pa.py_buffer(places), pa.py_buffer(raw)]
    return pa.Array.from_buffers(pa.binary(), rows, buffers)


def _column(column: Any, declared: str, seed: int) -> _Column:
    if declared in _BYTES:
        return _bytes(column, seed)
    if declared.startswith("numeric("):
        values, hashed = _decimals(column, seed)
    else:
        values, hashed = _plain(column, declared, seed)
    width = values.dtype.itemsize
    if not column.null_count:
        return _Column(header=width, fixed=values, hashed=hashed)
    there = column.is_valid()
    header = np.where(_flags(there), width, -1)
    free = _binary(
        np.ascontiguousarray(values).view(np.uint8), width, len(column), there.buffers()[1]
    )
    return _Column(header=header, free=free, hashed=hashed)


def _flags(column: Any) -> Any:
    return column.to_numpy(zero_copy_only=False)


def _there(column: Any, values: Any) -> Any:
    return values if not column.null_count else values[_flags(column.is_valid())]


def _plain(column: Any, declared: str, seed: int) -> tuple[Any, int]:
    kind = column.type
    if pa.types.is_boolean(kind):
        flags = _flags(pc.fill_null(column, False)).astype(np.uint8)
        return flags, postgres_hash.whole_numbers(_there(column, flags), seed)
    numbers = _numbers(column)
    if pa.types.is_floating(kind):
        hashed = postgres_hash.floats(_there(column, numbers), seed)
        return numbers.astype(_FIXED[declared]), hashed
    if pa.types.is_date(kind):
        numbers = numbers - np.int32(_DAYS)
    elif pa.types.is_timestamp(kind):
        numbers = numbers - np.int64(_MICROS)
    wide = numbers.dtype.itemsize == 8
    hashing = postgres_hash.long_numbers if wide else postgres_hash.whole_numbers
    return numbers.astype(_FIXED[declared]), hashing(_there(column, numbers), seed)


def _numbers(column: Any) -> Any:
    """What lies in memory, also where it is null."""
    kind = column.type
    if pa.types.is_date(kind):
        column = column.view(pa.int32())
    elif pa.types.is_timestamp(kind):
        column = column.view(pa.int64())
    values = np.frombuffer(column.buffers()[1], dtype=column.type.to_pandas_dtype())
    return values[column.offset : column.offset + len(column)]


def _bytes(column: Any, seed: int) -> _Column:
    kind = column.type
    large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    free = column.cast(pa.binary()) if large else column.view(pa.binary())
    places = np.frombuffer(free.buffers()[1], dtype=np.int32)
    places = places[free.offset : free.offset + len(free) + 1].astype(np.int64)
    start, length = places[:-1], places[1:] - places[:-1]
    header = length
    here = length <= HASHED_BYTES_MAX
    if free.null_count:
        valid = _flags(free.is_valid())
        header, here = np.where(valid, length, -1), here & valid
    long = None
    if len(length) and int(header.max()) > HASHED_BYTES_MAX:
        long = free.filter(pa.array(header > HASHED_BYTES_MAX))
    data = free.buffers()[2]
    raw = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    if not here.all():
        start, length = start[here], length[here]
    return _Column(
        header=header, free=free, hashed=postgres_hash.texts(raw, start, length, seed), long=long
    )


def _decimals(column: Any, seed: int) -> tuple[Any, int]:
    """Numbers of a fixed number of digits; the server leaves out zeros at both ends itself."""
    kind = column.type
    halves = np.frombuffer(column.buffers()[1], dtype=np.int64).reshape(-1, 2)
    halves = halves[column.offset : column.offset + len(column)]
    low = halves[:, 0]
    if column.null_count:
        low = np.where(_flags(column.is_valid()), low, 0)
        halves = np.where(_flags(column.is_valid())[:, None], halves, 0)
    fits = bool(((low >> 63) == halves[:, 1]).all()) and bool((low != -(2**63)).all())
    if fits and kind.scale <= _FAST_SCALE_MAX:
        digits, negative = _groups(np.abs(low), kind.precision, kind.scale), low < 0
    else:
        digits, negative = _groups_one_by_one(column)
    after = -(-kind.scale // 4)
    width = digits.shape[1]
    weight = width - after - 1
    filled = np.empty(
        len(column),
        dtype=[("n", ">i2"), ("w", ">i2"), ("s", ">u2"), ("d", ">i2"), ("g", ">i2", (width,))],
    )
    filled["n"], filled["w"], filled["d"] = width, weight, kind.scale
    filled["s"] = np.where(negative, 0x4000, 0)
    filled["g"] = digits
    return filled, postgres_hash.decimals(_there(column, digits), weight, seed)


def _groups(values: Any, precision: int, scale: int) -> Any:
    """Digits to the base of 10,000; a group begins at the point, to both sides."""
    before, after = max(1, -(-(precision - scale) // 4)), -(-scale // 4)
    before = min(before, 5)
    whole, part = np.divmod(values, 10**scale)
    part = part * 10 ** (4 * after - scale)
    digits = np.empty((len(values), before + after), np.int16)
    for place in range(before - 1, -1, -1):
        whole, digits[:, place] = np.divmod(whole, 10_000)
    for place in range(before + after - 1, before - 1, -1):
        part, digits[:, place] = np.divmod(part, 10_000)
    return digits


def _groups_one_by_one(column: Any) -> tuple[Any, Any]:
    """The same of numbers that 64 bits do not hold."""
    scale = column.type.scale
    before, after = max(1, -(-(column.type.precision - scale) // 4)), -(-scale // 4)
    width = before + after
    digits = np.zeros((len(column), width), np.int16)
    negative = np.zeros(len(column), bool)
    for row, value in enumerate(column.to_pylist()):
        if value is None:
            continue
        sign, figures, exponent = value.as_tuple()
        number = int("".join(map(str, figures))) * 10 ** (4 * after + exponent)
        negative[row] = sign == 1
        for place in range(width - 1, -1, -1):
            number, digits[row, place] = divmod(number, 10_000)
    return digits, negative
