"""What a column of MariaDB or MySQL keeps unchanged, and the text in which it takes it.

    tinyint(1)                   booleans, and whole numbers from -128 to 127
    smallint … bigint            whole numbers in their range
    decimal(p, s)                decimals and whole numbers that need no rounding
    double                       floats; NaN and infinities are refused, it has none
    float                        nothing: it is read back with six digits
    varchar(n), text             text that the character set has and that fits; nested data as JSON
    date, time(p)                themselves
    datetime(p)                  local times, and moments in UTC
    timestamp(p)                 moments from 1970 to 2038
    varbinary(n), blob           bytes that fit
    enum                         one of its values

Encoders raise ValueError with a reason that ends a sentence.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

from sqlalchemy import types
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeEngine

from holdfast.adapters.sinks.sql_types import (
    ColumnType,
    Encoder,
    Kind,
    canonical_json,
    integer_as_real,
    plain_date,
    plain_decimal,
    plain_text,
    plain_time,
    plain_timestamp,
)

KEY_CHARACTERS = 255
"""Of a key column that is created: an index has 3,072 bytes, and a character up to 4."""

TIMESTAMP_FIRST = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
TIMESTAMP_LAST = datetime(2038, 1, 19, 3, 14, 7, tzinfo=UTC)

_NAMES = {
    **dict.fromkeys(("byte", "tinyint"), "tinyint"),
    **dict.fromkeys(("short", "smallint"), "smallint"),
    **dict.fromkeys(("int", "integer"), "int"),
    **dict.fromkeys(("long", "bigint"), "bigint"),
    **dict.fromkeys(("float", "real", "double"), "double"),
    "boolean": "tinyint(1)",
    "date": "date",
    "time": "time(6)",
    **dict.fromkeys(("timestamp", "timestamp_ltz", "timestamp_ntz"), "datetime(6)"),
}
_WHOLE_BITS = (
    (mysql.TINYINT, 8),
    (mysql.SMALLINT, 16),
    (mysql.MEDIUMINT, 24),
    (mysql.BIGINT, 64),
    (mysql.INTEGER, 32),
)
_BYTES_MAX = {
    "tinytext": 2**8 - 1,
    "text": 2**16 - 1,
    "mediumtext": 2**24 - 1,
    "longtext": 2**32 - 1,
    "tinyblob": 2**8 - 1,
    "blob": 2**16 - 1,
    "mediumblob": 2**24 - 1,
    "longblob": 2**32 - 1,
}
_CHARACTERS = {"utf8mb4": 0x110000, "utf8mb3": 0x10000, "utf8": 0x10000}


def declared_type(column: ColumnType | None, collation: str, *, is_key: bool) -> str:
    """The type of a column that keeps these values; text where they are not known."""
    texts = f"CHARACTER SET utf8mb4 COLLATE {collation}"
    if column is None or column.kind in (Kind.TEXT, Kind.JSON):
        return f"varchar({KEY_CHARACTERS}) {texts}" if is_key else f"longtext {texts}"
    if column.kind is Kind.BINARY:
        return f"varbinary({KEY_CHARACTERS})" if is_key else "longblob"
    if column.kind is Kind.DECIMAL:
        return f"decimal{column.arguments or '(65,30)'}"
    return _NAMES[column.name]


def encoders_of(
    declared: TypeEngine[Any], charset: str | None, words: str
) -> Mapping[Kind, Encoder]:
    """How a column takes each kind; `words` is its type as the server spells it."""
    base = words.partition("(")[0].partition(" ")[0].lower()
    for whole, bits in _WHOLE_BITS:
        if isinstance(declared, whole):
            return _whole(bits, bool(declared.unsigned), words)
    match declared:
        case mysql.DOUBLE():
            return {Kind.REAL: _double, Kind.INTEGER: integer_as_real}
        case mysql.DECIMAL() | mysql.NUMERIC():
            return _decimal(declared.precision or 10, declared.scale or 0)
        case mysql.DATETIME():
            return {Kind.TIMESTAMP: _datetime(declared.fsp or 0)}
        case mysql.TIMESTAMP():
            return {Kind.TIMESTAMP: _timestamp(declared.fsp or 0)}
        case mysql.TIME():
            return {Kind.TIME: _time(declared.fsp or 0)}
        case types.Date():
            return {Kind.DATE: plain_date}
        case mysql.ENUM():
            return {Kind.TEXT: _one_of(frozenset(declared.enums))}
        case types.JSON():
            return {Kind.JSON: canonical_json}
        case types.String():
            length = None if base in _BYTES_MAX else declared.length
            text = _text(charset or "", length, _BYTES_MAX.get(base), base == "char")
            return {Kind.TEXT: text, Kind.JSON: lambda value: text(canonical_json(value))}
    if base.endswith(("blob", "binary")):
        length = _BYTES_MAX.get(base, getattr(declared, "length", None))
        return {Kind.BINARY: _binary(length, base == "binary")}
    return {}


def _whole(bits: int, unsigned: bool, words: str) -> Mapping[Kind, Encoder]:
    low, high = (0, 2**bits) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1))

    def encode(value: Any) -> int:
        whole = int(value)
        if not low <= whole < high:
            raise ValueError(f"the number does not fit into {words}")
        return whole

    found: dict[Kind, Encoder] = {Kind.INTEGER: encode}
    return {**found, Kind.BOOLEAN: int} if words.startswith("tinyint(1)") else found


def _double(value: Any) -> float:
    number = float(value)
    if not isfinite(number):
        raise ValueError(f"{number} cannot be stored: the database has no such number")
    return number + 0.0


def _decimal(precision: int, scale: int) -> Mapping[Kind, Encoder]:
    def encode(value: Any) -> str:
        text = plain_decimal(value if isinstance(value, Decimal) else Decimal(int(value)))
        whole, _, part = text.lstrip("-").partition(".")
        if len(part) > scale:
            raise ValueError(f"the decimal has more than {scale} digits after the point")
        if len(whole.lstrip("0")) > precision - scale:
            raise ValueError(f"the decimal has more than {precision - scale} digits before it")
        return text

    return {Kind.DECIMAL: encode, Kind.INTEGER: encode}


def _text(charset: str, characters: int | None, size: int | None, padded: bool) -> Encoder:
    limit = _CHARACTERS.get(charset, 0x80)

    def encode(value: Any) -> str:
        text = plain_text(value)
        if limit < 0x110000 and any(ord(character) >= limit for character in text):
            raise ValueError(f"the text has characters that {charset} may not have")
        if characters is not None and len(text) > characters:
            raise ValueError(f"the text has {len(text):,} characters, and {characters:,} fit")
        if size is not None and len(text) * 4 > size and len(text.encode()) > size:
            raise ValueError(f"the text has more than {size:,} bytes")
        if padded and text.endswith(" "):
            raise ValueError("spaces at the end of the text would be cut off")
        return text

    return encode


def _binary(length: int | None, padded: bool) -> Encoder:
    def encode(value: Any) -> bytes:
        raw = bytes(value)
        if length is not None and (len(raw) > length or (padded and len(raw) < length)):
            raise ValueError(f"the value has {len(raw):,} bytes, and the column {length:,}")
        return raw

    return encode


def _one_of(labels: frozenset[str]) -> Encoder:
    def encode(value: Any) -> str:
        if value not in labels:
            raise ValueError("the text is none of the values of the type")
        return plain_text(value)

    return encode


def _datetime(precision: int) -> Encoder:
    def encode(value: Any) -> str:
        text = plain_timestamp(value)
        _check_precision(value.microsecond, precision)
        return text.removesuffix("+00:00").replace("T", " ")

    return encode


def _timestamp(precision: int) -> Encoder:
    inner = _datetime(precision)

    def encode(value: Any) -> str:
        text = str(inner(value))
        if value.utcoffset() is None:
            raise ValueError("the timestamp has no zone, and the column wants one")
        if not TIMESTAMP_FIRST <= value <= TIMESTAMP_LAST:
            raise ValueError("the timestamp lies outside 1970 to 2038: use datetime")
        return text

    return encode


def _time(precision: int) -> Encoder:
    def encode(value: Any) -> str:
        text = plain_time(value)
        _check_precision(value.microsecond, precision)
        return text

    return encode


def _check_precision(microsecond: int, precision: int) -> None:
    if microsecond % 10 ** (6 - precision):
        raise ValueError(f"the column keeps {precision} digits of a second")
