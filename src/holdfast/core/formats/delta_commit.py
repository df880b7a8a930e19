"""One commit of a Delta table, `_delta_log/<version>.json`: which files it adds and removes.

One JSON object a line, each with one action (PROTOCOL.md of Delta, Actions). Only what tells how
much a stream has still to read, and whether it is still there, is taken.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from holdfast.core.formats.json_text import decode_object
from holdfast.errors import MalformedError

_WHAT: Final = "the commit of the Delta table"
_COMMIT: Final = re.compile(r"(\d{20})\.json")
_CHECKPOINT: Final = re.compile(r"(\d{20})\.checkpoint\.(?:.+\.)?(?:parquet|json)")
_INTERVAL: Final = re.compile(r"(\d+)\s*([a-z]+?)s?\b")
_UNITS_MS: Final = {
    "microsecond": 0.001,
    "millisecond": 1,
    "second": 1_000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
    "week": 604_800_000,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedFile:
    """A data file that came in."""

    path: str
    """As stored: relative to the table, or a URI; with escapes."""
    records: int | None
    """None where the writer kept no statistics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaCommit:
    """What one version did to the data, in the order of its actions."""

    added: tuple[AddedFile, ...]
    removed: tuple[tuple[str, int | None], ...]
    """Path, and when it was removed."""


def parse_delta_commit(data: bytes) -> DeltaCommit:
    """Read one commit; files that only moved rows about (dataChange false) are no new data."""
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise MalformedError(f"{_WHAT} is not UTF-8") from error
    added, removed = [], []
    for line in lines:
        if '"add"' not in line and '"remove"' not in line:
            continue
        action = decode_object(line, _WHAT)
        if isinstance(file := action.get("add"), dict) and file.get("dataChange", True):
            added.append(AddedFile(path=str(file.get("path", "")), records=_records(file)))
        elif isinstance(file := action.get("remove"), dict):
            at_ms = file.get("deletionTimestamp")
            removed.append((str(file.get("path", "")), at_ms if type(at_ms) is int else None))
    return DeltaCommit(added=tuple(added), removed=tuple(removed))


def commit_version(name: str) -> int | None:
    """The version of a file of the log that is a commit."""
    match = _COMMIT.fullmatch(name)
    return int(match[1]) if match else None


def checkpoint_version(name: str) -> int | None:
    """The version of a file of the log that is a checkpoint of the table, or a part of one."""
    match = _CHECKPOINT.fullmatch(name)
    return int(match[1]) if match else None


def interval_ms(text: str) -> int | None:
    """Milliseconds of 'interval 30 days'; None where a month or something unknown is in it."""
    parts = _INTERVAL.findall(text.lower().replace("interval", " "))
    if not parts or any(unit not in _UNITS_MS for _, unit in parts):
        return None
    return int(sum(int(number) * _UNITS_MS[unit] for number, unit in parts))


def _records(file: dict[str, Any]) -> int | None:
    try:
        stats = json.loads(file["stats"])
        found = stats["numRecords"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    return found if type(found) is int else None
