"""Evidence as JSON and back, by the types of its fields: a saved pack is judged as it was taken.

A fact is `{"known": value, "origin": …}`, `{"absent": true, "origin": …}` or `{"unreadable":
reason, "code": …, "origin": …}`. Fields that a later release adds have defaults; fields that this
release does not know are passed over, since a newer one may have added them.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.errors import MalformedError

T = TypeVar("T")


def encode(value: Any) -> Any:
    """A frozen value as plain JSON data."""
    if isinstance(value, Known):
        return {"known": encode(value.value), "origin": value.origin}
    if isinstance(value, Absent):
        return {"absent": True, "origin": value.origin}
    if isinstance(value, Unreadable):
        return {"unreadable": value.reason, "code": value.code, "origin": value.origin}
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [encode(each) for each in value]
    return value


def decode(kind: type[T], data: Any, where: str = "evidence") -> T:
    """Plain JSON data as a value of a type; raises MalformedError where it does not fit."""
    result: T = _decode(kind, data, where)
    return result


def _decode(kind: Any, data: Any, where: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _union(get_args(kind), data, where)
    if origin is Literal:
        if data not in get_args(kind):
            raise MalformedError(f"{where}: {data!r} is none of {', '.join(get_args(kind))}")
        return data
    if origin is tuple:
        if not isinstance(data, list):
            raise MalformedError(f"{where} is no list")
        item = get_args(kind)[0]
        return tuple(_decode(item, each, f"{where}[{n}]") for n, each in enumerate(data))
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(data, dict):
            raise MalformedError(f"{where} is no object")
        return {
            key: _decode(get_args(kind)[1], each, f"{where}.{key}") for key, each in data.items()
        }
    if is_dataclass(kind):
        return _value(kind, data, where)
    return _plain(kind, data, where)


def _plain(kind: Any, data: Any, where: str) -> Any:
    if kind is Any:
        return data
    if kind is type(None):
        fits = data is None
    elif kind is float:
        fits = isinstance(data, int | float) and not isinstance(data, bool)
    elif kind is int:
        fits = isinstance(data, int) and not isinstance(data, bool)
    else:
        fits = isinstance(data, kind)
    if not fits:
        raise MalformedError(f"{where} is not {getattr(kind, '__name__', kind)}")
    return data


def _union(kinds: tuple[Any, ...], data: Any, where: str) -> Any:
    known = next((kind for kind in kinds if get_origin(kind) is Known), None)
    if known is not None:
        return _fact(get_args(known)[0], data, where)
    if data is None and type(None) in kinds:
        return None
    if Unreadable in kinds:  # a reason why there is no value, or None
        return _fact(type(None), data, where)
    for kind in kinds:
        try:
            return _decode(kind, data, where)
        except MalformedError:
            if kind is kinds[-1] or (
                len(kinds) <= 2 and type(None) in kinds and kind is not type(None)
            ):
                raise
    raise MalformedError(f"{where} is of no kind that it may be")


def _fact(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict) or not isinstance(data.get("origin"), str):
        raise MalformedError(f"{where} is no fact: it lacks its origin")
    origin = data["origin"]
    if "known" in data:
        return Known(_decode(kind, data["known"], where), origin)
    if "unreadable" in data:
        return Unreadable(origin, str(data["unreadable"]), str(data.get("code", "")))
    if "absent" in data:
        return Absent(origin)
    raise MalformedError(f"{where} is no fact: neither known nor absent nor unreadable")


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise MalformedError(f"{where} is no object")
    hints = _hints(kind)
    values: dict[str, Any] = {}
    for field in fields(kind):
        if field.name in data:
            place = f"{where}.{field.name}"
            values[field.name] = _decode(hints[field.name], data[field.name], place)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise MalformedError(f"{where} lacks {field.name!r}")
    return kind(**values)
