"""What a column of PostgreSQL keeps unchanged, and the text in which COPY takes it.

    smallint, integer, bigint    whole numbers in their range
    numeric(p, s)                decimals and whole numbers that need no rounding
    real, double precision       floats, NaN and infinities too; whole numbers that they are exactly
    boolean, date, time, bytea   themselves
    text, varchar(n)             text without U+0000, which PostgreSQL has not; nested data as JSON
    char(n)                      text of exactly n characters: shorter would be padded
    timestamp with time zone     moments; one without a zone is refused
    timestamp                    local times; one with a zone is refused, it would be dropped
    json, jsonb                  nested data, and text that is one JSON document
    uuid, enum                   their canonical text
    arrays                       lists of what the element keeps

Encoders raise ValueError with a reason that ends a sentence.
"""

import json
import re
import struct
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, time
from decimal import Decimal
from typing import Any

from sqlalchemy import types
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeEngine

from holdfast.adapters.sinks.sql_ddl import parse_type
from holdfast.adapters.sinks.sql_types import (
    ColumnType,
    Encoder,
    Kind,
    Stored,
    canonical_json,
    integer_as_real,
    kind_of,
    plain_date,
    plain_decimal,
    plain_text,
    plain_time,
    plain_timestamp,
)

FLOAT4_WHOLE_MAX = 2**24
"""Up to here every whole number is a float of 32 bits exactly."""

_NAMES = {
    **dict.fromkeys(("byte", "tinyint", "short", "smallint"), "smallint"),
    **dict.fromkeys(("int", "integer"), "integer"),
    **dict.fromkeys(("long", "bigint"), "bigint"),
    **dict.fromkeys(("float", "real"), "real"),
    "double": "double precision",
    "boolean": "boolean",
    "binary": "bytea",
    "date": "date",
    "time": "time",
    "timestamp": "timestamp with time zone",
    "timestamp_ltz": "timestamp with time zone",
    "timestamp_ntz": "timestamp",
}
_ESCAPED = re.compile(r'(["\\])')


def declared_type(column: ColumnType | None) -> str:
    """The type of a column that keeps these values; text where they are not known."""
    if column is None or column.kind is Kind.TEXT:
        return "text"
    if column.kind is Kind.DECIMAL:
        return f"numeric{column.arguments}"
    if column.name == "array":
        element = parse_type(column.arguments[1:-1])
        if element is not None and element.kind is not Kind.JSON:
            return f"{declared_type(element)}[]"
    return _NAMES.get(column.name, "jsonb")


def encoders_of(declared: TypeEngine[Any]) -> Mapping[Kind, Encoder]:
    """How a column takes each kind; those that are missing it cannot hold."""
    match declared:
        case postgresql.ARRAY():
            return {Kind.JSON: _array(encoders_of(declared.item_type))}
        case postgresql.DOMAIN():
            return encoders_of(declared.data_type)
        case postgresql.ENUM():
            return {Kind.TEXT: _one_of(frozenset(declared.enums))}
        case types.SmallInteger():
            return {Kind.INTEGER: _whole(2**15)}
        case types.BigInteger():
            return {Kind.INTEGER: _whole(2**63)}
        case types.Integer():
            return {Kind.INTEGER: _whole(2**31)}
        case types.Boolean():
            return {Kind.BOOLEAN: int}
        case postgresql.DOUBLE_PRECISION():
            return {Kind.REAL: float, Kind.INTEGER: integer_as_real}
        case types.REAL() | types.Float():
            return _floats(declared)
        case types.Numeric():
            return _numeric(declared.precision, declared.scale)
        case postgresql.JSONB():
            return {Kind.JSON: _jsonb, Kind.TEXT: _json_text}
        case types.JSON():
            return {Kind.JSON: canonical_json, Kind.TEXT: _json_text}
        case postgresql.BYTEA() | types.LargeBinary():
            return {Kind.BINARY: bytes}
        case types.Uuid():
            return {Kind.TEXT: _uuid}
        case postgresql.TIMESTAMP():
            return {Kind.TIMESTAMP: _timestamp(bool(declared.timezone), declared.precision)}
        case postgresql.TIME():
            return {} if declared.timezone else {Kind.TIME: _time(declared.precision)}
        case types.Date():
            return {Kind.DATE: plain_date}
        case types.CHAR():
            return {Kind.TEXT: _padded(declared.length or 1)}
        case types.VARCHAR() | types.TEXT():
            return {Kind.TEXT: _text(declared.length), Kind.JSON: _json_as_text(declared.length)}
    return {}


def zoned(declared: TypeEngine[Any]) -> bool | None:
    """Whether a column takes moments (True) or local times (False); None for other columns."""
    return bool(declared.timezone) if isinstance(declared, postgresql.TIMESTAMP) else None


def _whole(end: int) -> Encoder:
    def encode(value: Any) -> int:
        whole = int(value)
        if not -end <= whole < end:
            raise ValueError(f"the number does not fit into {end.bit_length()} bits")
        return whole

    return encode


def _floats(declared: types.Float[Any]) -> Mapping[Kind, Encoder]:
    if declared.precision is not None and declared.precision > 24:
        return {Kind.REAL: float, Kind.INTEGER: integer_as_real}
    return {Kind.REAL: _float4, Kind.INTEGER: _whole_float4}


def _float4(value: Any) -> float:
    number = float(value)
    try:
        (back,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        back = None
    if number == number and back != number:
        raise ValueError("the float needs 64 bits, and the column has 32")
    return number


def _whole_float4(value: Any) -> float:
    if abs(int(value)) > FLOAT4_WHOLE_MAX:
        raise ValueError("the whole number cannot be held exactly by a column of floats")
    return float(int(value))


def _numeric(precision: int | None, scale: int | None) -> Mapping[Kind, Encoder]:
    def encode(value: Any) -> str:
        text = plain_decimal(value if isinstance(value, Decimal) else Decimal(int(value)))
        if precision is not None:
            whole, _, part = text.lstrip("-").partition(".")
            if len(part) > (scale or 0):
                raise ValueError(f"the decimal has more than {scale or 0} digits after the point")
            if len(whole.lstrip("0")) > precision - (scale or 0):
                raise ValueError(
                    f"the decimal has more than {precision - (scale or 0)} digits before the point"
                )
        return text

    return {Kind.DECIMAL: encode, Kind.INTEGER: encode}


def _text(length: int | None) -> Callable[[str], str]:
    def encode(value: str) -> str:
        text = plain_text(value)
        if "\x00" in text:
            raise ValueError("the text holds U+0000, which PostgreSQL cannot store")
        if length is not None and len(text) > length:
            raise ValueError(f"the text has {len(text):,} characters, and {length:,} fit")
        return text

    return encode


def _json_as_text(length: int | None) -> Encoder:
    fitting = _text(length)
    return lambda value: fitting(canonical_json(value))


def _padded(length: int) -> Encoder:
    fitting = _text(length)

    def encode(value: Any) -> str:
        if len(value) < length:
            raise ValueError(f"the text would be padded to {length} characters")
        return fitting(value)

    return encode


def _one_of(labels: frozenset[str]) -> Encoder:
    def encode(value: Any) -> str:
        if value not in labels:
            raise ValueError("the text is none of the values of the type")
        return plain_text(value)

    return encode


def _uuid(value: Any) -> str:
    try:
        same = str(uuid.UUID(value)) == value
    except ValueError:
        same = False
    if not same:
        raise ValueError("the text is no UUID as PostgreSQL writes it")
    return plain_text(value)


def _timestamp(with_zone: bool, precision: int | None) -> Encoder:
    def encode(value: Any) -> str:
        text = plain_timestamp(value)
        _check_precision(value, precision)
        if (value.utcoffset() is not None) != with_zone:
            has = "has no zone, and the column wants one" if with_zone else "has a zone"
            raise ValueError(
                f"the timestamp {has}{'' if with_zone else ', which would be dropped'}"
            )
        return text

    return encode


def _time(precision: int | None) -> Encoder:
    def encode(value: Any) -> str:
        _check_precision(value, precision)
        return plain_time(value)

    return encode


def _check_precision(value: datetime | time, precision: int | None) -> None:
    if precision is not None and value.microsecond % 10 ** (6 - precision):
        raise ValueError(f"the column keeps {precision} digits of a second")


def _jsonb(value: Any) -> str:
    return _without_nul(canonical_json(value))


def _json_text(value: Any) -> str:
    """Text that is one JSON document, which the database keeps as such."""
    text = plain_text(value)
    try:
        json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise ValueError("the text is no JSON document") from None
    return _without_nul(text)


def _without_nul(text: str) -> str:
    # An escape after an even number of backslashes is one.
    if re.search(r"(?<!\\)(?:\\\\)*\\u0000", text):
        raise ValueError("the text holds U+0000, which PostgreSQL cannot store")
    return text


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("two fields of one name")
    for name in found:
        plain_text(name)
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _array(encoders: Mapping[Kind, Encoder]) -> Encoder:
    def element(value: Any) -> str:
        if value is None:
            return "NULL"
        kind = kind_of(type(value))
        if kind not in encoders or kind is Kind.JSON:
            raise ValueError(f"{kind} cannot be held by an element of the array")
        stored: Stored = encoders[kind](value)
        text = f"\\x{stored.hex()}" if isinstance(stored, bytes) else str(stored)
        return '"' + _ESCAPED.sub(r"\\\1", text) + '"'

    def encode(value: Any) -> str:
        if not isinstance(value, list | tuple) or hasattr(value, "__fields__"):
            raise ValueError("the value is no list")
        return "{" + ",".join(element(item) for item in value) + "}"

    return encode
