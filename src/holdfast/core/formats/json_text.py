"""JSON as Spark writes it, read strictly: bounded depth, no NaN, no duplicate meaning."""

import json
import math
import re
from itertools import accumulate
from typing import Any, Final, NoReturn, TypeAlias

from holdfast.core.limits import JSON_DEPTH_MAX, JSON_DIGITS_MAX, JSON_VALUES_MAX
from holdfast.errors import MalformedError, TooLargeError

Json: TypeAlias = Any
"""A decoded JSON value: dict, list, str, int, float, bool or None."""

# All but brackets: strings, also one that never ends, and whatever is neither. Possessive, so that
# a string of escaped quotes is walked through once.
_NOT_BRACKETS: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[^"\[\]{}]++', re.DOTALL)
_STEPS: Final = {"[": 1, "{": 1, "]": -1, "}": -1}


def decode_json(text: str, what: str) -> Json:
    """Decode one JSON value; `what` names it in the error."""
    refuse_many_values(text, what)
    if _deepest(text) > JSON_DEPTH_MAX:
        raise TooLargeError(f"{what} is nested deeper than {JSON_DEPTH_MAX} levels")
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise TooLargeError(f"{what} is nested too deeply") from error
    except ValueError as error:
        raise MalformedError(f"{what} is not JSON: {error}") from error


def refuse_many_values(text: str, what: str) -> None:
    """Refuse what would take too much memory; commas inside strings can only overcount."""
    if len(text) <= JSON_VALUES_MAX:
        return
    if text.count(",") + text.count("[") + text.count("{") > JSON_VALUES_MAX:
        raise TooLargeError(f"{what} has more than {JSON_VALUES_MAX:,} values")


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
    """Count bracket depth without decoding."""
    if text.count("[") + text.count("{") <= JSON_DEPTH_MAX:
        return 0
    brackets = _NOT_BRACKETS.sub("", text)
    return max(accumulate(_STEPS.get(bracket, 0) for bracket in brackets), default=0)


def _whole(digits: str) -> int:
    if len(digits) > JSON_DIGITS_MAX:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:40]} is beyond all floating-point numbers")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# One decoder for all: json.loads makes a new one at every call that has hooks.
_DECODER: Final = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_int=_whole, parse_float=_finite
)
