"""The files a file source has seen: `sources/<n>/<id>` and `<id>.compact`, FileStreamSourceLog."""

from dataclasses import dataclass
from typing import Final

from holdfast.core.formats.compactible_log import entry_objects, parse_compactible_name
from holdfast.core.formats.json_text import integer, text_field

__all__ = ["FileSourceEntry", "parse_compactible_name", "parse_file_source_log"]

_WHAT: Final = "the log of the file source"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSourceEntry:
    """One input file. `batch_id` is the id in this log, which is not the id of a micro-batch."""

    path: str
    timestamp_ms: int
    batch_id: int


def parse_file_source_log(data: bytes) -> tuple[FileSourceEntry, ...]:
    """Read one file of the log, plain or compact.

    `path` is kept as stored: a URI with escapes, or a bare path as Spark 2.1 wrote it.
    """
    return tuple(
        FileSourceEntry(
            path=text_field(entry, "path", _WHAT),
            timestamp_ms=integer(entry, "timestamp", _WHAT),
            batch_id=integer(entry, "batchId", _WHAT),
        )
        for entry in entry_objects(data, _WHAT)
    )
