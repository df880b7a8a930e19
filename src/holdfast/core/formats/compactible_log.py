"""Logs with one JSON object a line: CompactibleFileStreamLog, of file sources and file sinks."""

import json
from typing import Final

from holdfast.core.formats.json_text import Json, decode_object
from holdfast.core.formats.versioned_text import split_version
from holdfast.errors import MalformedError

COMPACT_SUFFIX: Final = ".compact"
_NEWEST: Final = 1
_LONG_MAX: Final = 2**63 - 1
_LONG_DIGITS: Final = 19
_FLAT_DECODER: Final = json.JSONDecoder()
_FLAT_VALUES_MAX: Final = 100


def parse_compactible_name(name: str) -> tuple[int, bool] | None:
    """Give the id of `7` or `9.compact` and whether it is compact; None for any other name."""
    digits = name.removesuffix(COMPACT_SUFFIX)
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _LONG_DIGITS:
        return None
    number = int(digits)
    return (number, digits != name) if number <= _LONG_MAX else None


def entry_objects(data: bytes, what: str) -> list[dict[str, Json]]:
    """Give the object of every line after the version; an empty batch has none.

    A blank line is refused: CompactibleFileStreamLog.deserialize gives every line to the JSON
    parser.
    """
    _, lines = split_version(data, what, _NEWEST)
    return [_entry(line, what, number) for number, line in enumerate(lines, start=2)]


def _entry(line: str, what: str, number: int) -> dict[str, Json]:
    # A compact file has up to hundreds of thousands of lines. One decoder for all of them takes
    # half the time, and a line with one bracket cannot nest; any other goes the strict way.
    if line.count("{") == 1 and "[" not in line and line.count(",") <= _FLAT_VALUES_MAX:
        try:
            value = _FLAT_DECODER.decode(line)
        except ValueError as error:
            raise MalformedError(f"{what}, line {number}, is not JSON: {error}") from error
        if isinstance(value, dict):
            return value
    return decode_object(line, f"{what}, line {number},")
