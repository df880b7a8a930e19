"""Read segments, the newest first and no more than is needed."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from holdfast.core.recording.segment import Lines, decode_lines, segment_names
from holdfast.errors import HoldfastError


class ReadableRecords(Protocol):
    """As much of Records as reading takes."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, None where there is none."""
        ...

    def names(self, folder: str) -> Sequence[str]:
        """Names of the files directly inside a folder; empty where it does not exist."""
        ...


def read_segments(records: ReadableRecords, folder: str, *, limit: int) -> Lines:
    """The newest lines of a folder, at most `limit`, oldest first.

    Reads only as many of the newest segments as that takes. A line or a whole segment that is
    damaged is passed over and counted. Raises UnreachableError where the folder cannot be listed.
    """
    found: list[Mapping[str, Any]] = []
    damaged = 0
    for name in reversed(segment_names(records.names(folder))):
        if len(found) >= limit:
            break
        read = read_segment(records, f"{folder}/{name}")
        damaged += read.damaged
        found[:0] = read.lines
    return Lines(lines=tuple(found[-limit:]) if limit > 0 else (), damaged=damaged)


def read_segment(records: ReadableRecords, name: str) -> Lines:
    """The lines of one segment; one that cannot be had counts as one damaged line."""
    try:
        data = records.read(name)
    except HoldfastError:
        return Lines(lines=(), damaged=1)
    # None: it was removed since it was listed, for it was past the bound.
    return decode_lines(data) if data is not None else Lines(lines=(), damaged=0)
