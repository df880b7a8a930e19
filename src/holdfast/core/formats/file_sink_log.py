"""The manifest of a file sink: `<output>/_spark_metadata/<id>` and `<id>.compact`.

FileStreamSinkLog and SinkFileStatus are the rule.
"""

from dataclasses import dataclass
from typing import Final

from holdfast.core.formats.compactible_log import entry_objects
from holdfast.core.formats.json_text import Json, integer, text_field
from holdfast.errors import MalformedError

ACTIONS: Final = frozenset({"add", "delete"})
"""FileStreamSinkLog.ADD_ACTION and DELETE_ACTION."""

_WHAT: Final = "the manifest of the file sink"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSinkEntry:
    """One output file, and whether the batch added or deleted it."""

    path: str
    size_bytes: int
    is_dir: bool
    modification_time_ms: int
    block_replication: int
    block_size_bytes: int
    action: str


def parse_file_sink_log(data: bytes) -> tuple[FileSinkEntry, ...]:
    """Read one file of the manifest, plain or compact; a batch without output has no entry."""
    return tuple(_sink_entry(values) for values in entry_objects(data, _WHAT))


def _sink_entry(values: dict[str, Json]) -> FileSinkEntry:
    is_dir = values.get("isDir")
    if not isinstance(is_dir, bool):
        raise MalformedError(f"{_WHAT}: 'isDir' is not true or false")
    action = text_field(values, "action", _WHAT)
    if action not in ACTIONS:
        raise MalformedError(f"{_WHAT}: the action {action[:40]!r} is neither add nor delete")
    return FileSinkEntry(
        path=text_field(values, "path", _WHAT),
        size_bytes=integer(values, "size", _WHAT),
        is_dir=is_dir,
        modification_time_ms=integer(values, "modificationTime", _WHAT),
        block_replication=integer(values, "blockReplication", _WHAT),
        block_size_bytes=integer(values, "blockSize", _WHAT),
        action=action,
    )
