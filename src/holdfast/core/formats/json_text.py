"""JSON as Spark writes it, read strictly: bounded depth, no NaN, no duplicate meaning."""

import json
from typing import Any, NoReturn, TypeAlias

from holdfast.core.limits import JSON_DEPTH_MAX
from holdfast.errors import MalformedError, TooLargeError

Json: TypeAlias = Any
"""A decoded JSON value: dict, list, str, int, float, bool or None."""


def decode_json(text: str, what: str) -> Json:
    """Decode one JSON value; `what` names it in the error."""
    if _deepest(text) > JSON_DEPTH_MAX:
        raise TooLargeError(f"{what} is nested deeper than {JSON_DEPTH_MAX} levels")
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise TooLargeError(f"{what} is nested too deeply") from error
    except ValueError as error:
        raise MalformedError(f"{what} is not JSON: {error}") from error


def decode_object(text: str, what: str) -> dict[str, Json]:
    """Decode a JSON object."""
    value = decode_json(text, what)
    if not isinstance(value, dict):
        raise MalformedError(f"{what} is not a JSON object")
    return value


def integer(values: dict[str, Json], key: str, what: str, default: int | None = None) -> int:
    """Take a whole number from an object; bools and floats are not whole numbers."""
    value = values.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise MalformedError(f"{what}: {key!r} is not a whole number")
    return value


def text_field(values: dict[str, Json], key: str, what: str) -> str:
    """Take a string from an object."""
    value = values.get(key)
    if not isinstance(value, str):
        raise MalformedError(f"{what}: {key!r} is not a string")
    return value


def _deepest(text: str) -> int:
    """Count bracket depth without decoding; brackets inside strings can only overcount."""
    if text.count("[") + text.count("{") <= JSON_DEPTH_MAX:
        return 0
    depth = deepest = 0
    inside_string = escaped = False
    for character in text:
        if inside_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                inside_string = False
        elif character == '"':
            inside_string = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
