"""The header of a RocksDB changelog (`V.changelog`, `V_<id>.changelog`), already decompressed.

StateStoreChangelogWriterV1 to V4 are the rule: V1 has no header; V2 writes writeUTF("v2"); V3
and V4 write their version and then writeUTF of a JSON list of LineageItem, the versions and
unique ids from the last snapshot on (state store checkpoint format 2).
"""

import re
from dataclasses import dataclass
from typing import Final

from holdfast.core.formats.java_data import JavaDataInput
from holdfast.core.formats.json_text import decode_json, integer, text_field
from holdfast.errors import MalformedError, NewerVersionError

CHANGELOG_HEADER_BYTES_MAX: Final = 4 + 2 + 65_535
"""The longest header there can be: `v4` and one writeUTF string, whose length has two bytes."""

_WHAT: Final = "the changelog"
_NEWEST: Final = 4
_FIRST_WITH_LINEAGE: Final = 3
_VERSION: Final = re.compile(r"v([0-9]{1,5})")
_SHORT_MAX: Final = 32_767


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageItem:
    """A state version and the unique id of the file that holds it."""

    version: int
    unique_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangelogHeader:
    """The format of a changelog, and for v3 and v4 the files it stands on."""

    version: int
    lineage: tuple[LineageItem, ...]


def parse_changelog_header(head: bytes) -> ChangelogHeader:
    """Read the header from the first CHANGELOG_HEADER_BYTES_MAX bytes, or from all there are."""
    if not head:
        raise MalformedError(f"{_WHAT} is empty: it was created and never written")
    cursor = JavaDataInput(head, _WHAT)
    version = _sniff_version(cursor)
    if version > _NEWEST:
        message = f"{_WHAT} has format v{version}, newer than v{_NEWEST}, the newest known here"
        raise NewerVersionError(message)
    if version < 1:
        raise MalformedError(f"{_WHAT} has the impossible version v{version}")
    lineage = _parse_lineage(cursor.utf()) if version >= _FIRST_WITH_LINEAGE else ()
    return ChangelogHeader(version=version, lineage=lineage)


def _sniff_version(cursor: JavaDataInput) -> int:
    """Decide as StateStoreChangelogReaderFactory does.

    A v1 file begins with the length of its first key, or with -1 when it has no record. Spark
    calls readUTF on it and takes whatever is not the letter v and a short for v1: a key below
    64 KiB reads as an empty string; -1, and longer keys, run past the end or are no valid
    string (SPARK-51922) or no number (SPARK-52553). One v1 file stays ambiguous, whose first
    key has 161,330 bytes (0x00027632 is also writeUTF("v2")); Spark takes it for v2, so do we.
    """
    try:
        text = cursor.utf()
    except MalformedError:
        return 1
    match = _VERSION.fullmatch(text)
    # A number past Short.MaxValue is a NumberFormatException in Spark, hence v1 again.
    return int(match[1]) if match and int(match[1]) <= _SHORT_MAX else 1


def _parse_lineage(text: str) -> tuple[LineageItem, ...]:
    what = f"the lineage of {_WHAT}"
    items = decode_json(text, what)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise MalformedError(f"{what} is not a list of objects")
    return tuple(
        LineageItem(
            version=integer(item, "version", what),
            unique_id=text_field(item, "checkpointUniqueId", what),
        )
        for item in items
    )
