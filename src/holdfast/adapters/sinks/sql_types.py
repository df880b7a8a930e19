"""What a value of a batch becomes in a SQL column: kept exactly, or refused with the reason.

    str                     text, whatever it holds (also NUL characters)
    int                     a whole number of 64 bits
    bool                    0 or 1
    float                   a real number, infinities too; -0.0 becomes 0.0, which equals it;
                            NaN is refused, because SQLite would turn it into NULL
    bytes                   a blob
    Decimal                 text, canonical: no exponent, no trailing zeros, so equal is equal
    date, time              ISO text
    datetime with a zone    ISO text in UTC, always with microseconds, so text sorts as time
    datetime without        the same without an offset; refused in the second of two equal hours
                            (fold=1), where the text could not tell which hour it was
    dict, list, tuple, Row  canonical JSON text: keys sorted, maps with other keys than text as
                            a list of pairs, bytes in base64, decimals and times as text
    None                    NULL

Anything else is refused. Encoders raise ValueError with a reason that ends a sentence.
"""

import base64
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import StrEnum
from numbers import Integral
from typing import Any

from holdfast.core.limits import JSON_DEPTH_MAX

Stored = None | int | float | str | bytes
Encoder = Callable[[Any], Stored]

DECIMAL_DIGITS_MAX = 1_000
"""Digits before or after the point of one decimal. Spark's have 38; an exponent could ask for
a text of gigabytes."""

REAL_WHOLE_MAX = 2**53
"""Up to here every whole number is a float exactly."""


class Kind(StrEnum):
    """What a Python value is to a database; the value is the word used in messages."""

    INTEGER = "a whole number"
    BOOLEAN = "a boolean"
    REAL = "a float"
    TEXT = "text"
    BINARY = "bytes"
    DECIMAL = "a decimal"
    DATE = "a date"
    TIMESTAMP = "a timestamp"
    TIME = "a time of day"
    JSON = "nested data"


SORTABLE = frozenset({Kind.INTEGER, Kind.REAL, Kind.TEXT, Kind.DATE, Kind.TIMESTAMP})
"""Kinds whose stored form sorts as the value does: what a version may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnType:
    """The type of a column of a batch, in Spark's words."""

    kind: Kind
    name: str
    """Such as `bigint`, `decimal`, `array`."""
    arguments: str = ""
    """What stands in brackets after it, with them: `(10,2)`, `<int>`."""


class Encoders(dict[type, Encoder]):
    """The encoders of one column by the Python type of the value, found on first need."""

    def __init__(
        self,
        holds: frozenset[Kind],
        declared: str,
        *,
        is_key: bool = False,
        is_version: bool = False,
        nullable: bool = True,
        own: Mapping[Kind, Encoder] | None = None,
        sortable: frozenset[Kind] = SORTABLE,
    ) -> None:
        """A column that holds these kinds unchanged; declared is its type, for messages."""
        super().__init__()
        self._holds = holds
        self._declared = declared
        self._is_version = is_version
        self._own = own or {}
        self._sortable = sortable
        self[type(None)] = _refuse_null if is_key else _null if nullable else _not_null

    def __missing__(self, value_type: type) -> Encoder:
        """Choose the encoder of a type; raises ValueError where the column cannot hold it."""
        kind, encoder = _kind_and_encoder(value_type)
        encoder = self._own.get(kind, encoder)
        if self._is_version and kind not in self._sortable:
            raise ValueError(f"{kind} cannot be a version: what is stored does not sort as it does")
        if kind is Kind.INTEGER and Kind.INTEGER not in self._holds and Kind.REAL in self._holds:
            encoder = integer_as_real
        elif kind not in self._holds:
            raise ValueError(
                f"{kind} cannot be held unchanged by a column of type {self._declared}"
            )
        self[value_type] = encoder
        return encoder


def kind_of(value_type: type) -> Kind:
    """The kind of values of this type; raises ValueError where no column can hold them."""
    return _kind_and_encoder(value_type)[0]


def type_of(value: Any) -> ColumnType:
    """The type of a column that holds values like this one; raises ValueError."""
    kind = kind_of(type(value))
    name = _NAMES[kind]
    if kind is Kind.TIMESTAMP and value.utcoffset() is None:
        name = "timestamp_ntz"
    return ColumnType(kind=kind, name=name)


def canonical_json(value: Any) -> str:
    """Nested data as one text; equal data give equal text. Raises ValueError."""
    text = json.dumps(
        _jsonable(value, 0),
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
        allow_nan=False,
    )
    return plain_text(text)


def _kind_and_encoder(value_type: type) -> tuple[Kind, Encoder]:
    for base, kind, encoder in _BY_TYPE:
        if issubclass(value_type, base):
            return kind, encoder
    raise ValueError(f"a value of type {value_type.__name__} cannot be stored")


def _null(_value: Any) -> None:
    return None


def _not_null(_value: Any) -> Stored:
    raise ValueError("the column takes no null")


def _refuse_null(_value: Any) -> Stored:
    raise ValueError("a key cannot be null")


def plain_integer(value: Any) -> int:
    """A whole number of 64 bits."""
    whole = int(value)
    if not -(2**63) <= whole < 2**63:
        raise ValueError("the number does not fit into 64 bits")
    return whole


def integer_as_real(value: Any) -> float:
    """A whole number that a float is exactly."""
    whole = int(value)
    if abs(whole) > REAL_WHOLE_MAX:
        raise ValueError("the whole number cannot be held exactly by a column of floats")
    return float(whole)


def _real(value: Any) -> float:
    number = float(value)
    if math.isnan(number):
        raise ValueError("NaN cannot be stored: SQLite would turn it into NULL")
    return number + 0.0


def plain_text(value: str) -> str:
    """Text that is UTF-8."""
    if value.isascii() and type(value) is str:
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("the text holds half of a surrogate pair, which is no UTF-8") from None
    return str.__str__(value)


def plain_decimal(value: Decimal) -> str:
    """Canonical text: no exponent, no trailing zeros."""
    if not value.is_finite():
        raise ValueError(f"{value} is no number that can be stored")
    exponent = value.as_tuple().exponent
    digits = max(abs(value.adjusted()), -exponent if isinstance(exponent, int) else 0)
    if value and digits > DECIMAL_DIGITS_MAX:
        raise ValueError(f"the decimal has more than {DECIMAL_DIGITS_MAX:,} digits")
    if not value:
        return "0"
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def plain_date(value: date) -> str:
    """ISO text."""
    return date.isoformat(value)


def plain_time(value: time) -> str:
    """ISO text with microseconds."""
    if value.tzinfo is not None:
        raise ValueError("a time of day with a zone cannot be stored")
    return time.isoformat(value, timespec="microseconds")


def plain_timestamp(value: datetime) -> str:
    """ISO text with microseconds, in UTC where it has a zone."""
    if value != value:  # pandas.NaT is a datetime that equals nothing
        raise ValueError("the timestamp is no time (NaT)")
    if getattr(value, "nanosecond", 0):
        raise ValueError("the timestamp has nanoseconds, which would be cut off")
    if value.utcoffset() is None:
        if value.fold:
            raise ValueError(
                "the local time happens twice that day, and this is the second one: "
                "give timestamps a zone"
            )
        return datetime.isoformat(value.replace(tzinfo=None), timespec="microseconds")
    try:
        return datetime.isoformat(value.astimezone(UTC), timespec="microseconds")
    except OverflowError:
        raise ValueError("the timestamp lies outside the years 1 to 9999 in UTC") from None


def _jsonable(value: Any, depth: int) -> Any:
    if depth > JSON_DEPTH_MAX:
        raise ValueError(f"the data are nested deeper than {JSON_DEPTH_MAX}")
    if value is None or isinstance(value, bool):
        return value
    kind, encoder = _kind_and_encoder(type(value))
    if kind is Kind.JSON:
        return _nested(value, depth + 1)
    if kind is Kind.BINARY:
        return base64.b64encode(bytes(value)).decode("ascii")
    if kind is Kind.REAL and not math.isfinite(value):
        raise ValueError(f"{float(value)} cannot be stored inside nested data: JSON has none")
    return encoder(value)


def _nested(value: Any, depth: int) -> Any:
    fields = getattr(value, "__fields__", None)
    if isinstance(value, tuple) and fields is not None:  # a pyspark Row
        if len(set(fields)) != len(fields):
            raise ValueError("a nested row has two fields of one name")
        value = dict(zip(fields, value, strict=True))
    if not isinstance(value, Mapping):
        return [_jsonable(item, depth) for item in value]
    if all(isinstance(key, str) for key in value):
        return {str.__str__(key): _jsonable(item, depth) for key, item in value.items()}
    pairs = [[_jsonable(key, depth), _jsonable(item, depth)] for key, item in value.items()]
    return sorted(pairs, key=lambda pair: json.dumps(pair, sort_keys=True))


_NAMES = {
    Kind.INTEGER: "bigint",
    Kind.BOOLEAN: "boolean",
    Kind.REAL: "double",
    Kind.TEXT: "string",
    Kind.BINARY: "binary",
    Kind.DECIMAL: "decimal",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp",
    Kind.TIME: "time",
    Kind.JSON: "struct",
}
# The first match decides: bool is an int to Python, and datetime is a date.
_BY_TYPE: tuple[tuple[type, Kind, Encoder], ...] = (
    (bool, Kind.BOOLEAN, int),
    (int, Kind.INTEGER, plain_integer),
    (Integral, Kind.INTEGER, plain_integer),
    (float, Kind.REAL, _real),
    (str, Kind.TEXT, plain_text),
    (bytes, Kind.BINARY, bytes),
    (bytearray, Kind.BINARY, bytes),
    (memoryview, Kind.BINARY, bytes),
    (Decimal, Kind.DECIMAL, plain_decimal),
    (datetime, Kind.TIMESTAMP, plain_timestamp),
    (date, Kind.DATE, plain_date),
    (time, Kind.TIME, plain_time),
    (Mapping, Kind.JSON, canonical_json),
    (list, Kind.JSON, canonical_json),
    (tuple, Kind.JSON, canonical_json),
)
