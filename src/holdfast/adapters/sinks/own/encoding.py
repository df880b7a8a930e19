"""The canonical encoding of a row: equal rows give equal bytes, others others.

Types are part of it: 1 and "1", and -0.0 and 0.0, are different. Every NaN is the same. Maps are
taken in the order of their encoded keys. A moment with a zone is taken in UTC.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from holdfast.core.limits import JSON_DEPTH_MAX


def encoded(values: Sequence[Any]) -> bytes:
    """A row; raises ValueError where it holds something that has no canonical form."""
    return _sequence(values, 0)


def _value(value: Any, depth: int) -> bytes:
    if value is None:
        return b"n;"
    if depth > JSON_DEPTH_MAX:
        raise ValueError(f"the data are nested deeper than {JSON_DEPTH_MAX}")
    for kind, encode in _BY_TYPE:
        if isinstance(value, kind):
            return encode(value, depth)
    as_json = getattr(value, "toJson", None)  # pyspark's VariantVal
    if callable(as_json):
        return _framed(b"v", str(as_json()).encode("utf-8"))
    raise ValueError(f"a value of type {type(value).__name__} has no canonical form")


def _framed(letter: bytes, raw: bytes) -> bytes:
    return b"%b%d:%b" % (letter, len(raw), raw)


def _moment(value: datetime, _depth: int) -> bytes:
    if value.utcoffset() is None:
        return _framed(b"l", f"{value.isoformat()}/{value.fold}".encode())
    return _framed(b"m", value.astimezone(UTC).isoformat().encode())


def _mapping(value: Mapping[Any, Any], depth: int) -> bytes:
    pairs = [(_value(key, depth + 1), _value(item, depth + 1)) for key, item in value.items()]
    return _framed(b"{", b"".join(key + item for key, item in sorted(pairs)))


def _sequence(value: Sequence[Any], depth: int) -> bytes:
    names = getattr(value, "__fields__", None)  # a pyspark Row within a row
    head = b"" if names is None else _sequence([str(name) for name in names], depth + 1)
    return _framed(b"[", head + b"".join(_value(item, depth + 1) for item in value))


def _text(value: str, _depth: int) -> bytes:
    return _framed(b"s", str.__str__(value).encode("utf-8", "surrogatepass"))


# The first match decides: bool is an int to Python, and datetime is a date.
_BY_TYPE: tuple[tuple[type | tuple[type, ...], Callable[[Any, int], bytes]], ...] = (
    (str, _text),
    (bool, lambda value, _depth: b"t;" if value else b"f;"),
    (int, lambda value, _depth: b"i%d;" % value),
    (float, lambda value, _depth: _framed(b"r", value.hex().encode())),
    (Decimal, lambda value, _depth: _framed(b"d", str(value).encode())),
    (datetime, _moment),
    (date, lambda value, _depth: _framed(b"a", value.isoformat().encode())),
    (time, lambda value, _depth: _framed(b"o", value.isoformat().encode())),
    (timedelta, lambda value, _depth: _framed(b"u", str(value // timedelta.resolution).encode())),
    ((bytes, bytearray, memoryview), lambda value, _depth: _framed(b"b", bytes(value))),
    (Mapping, _mapping),
    ((list, tuple), _sequence),
)
