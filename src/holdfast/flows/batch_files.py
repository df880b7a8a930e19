"""Look up the input files that a batch reads, in the log of its file source."""

from holdfast.core.fact import Known, interpret
from holdfast.core.formats.file_source_log import FileSourceEntry, parse_file_source_log
from holdfast.core.limits import FILE_BYTES_MAX
from holdfast.core.offsets.kind import Position
from holdfast.core.offsets.registry import SourceOffset
from holdfast.core.ports import Storage
from holdfast.core.reading.file_entries import entries_between, files_holding
from holdfast.core.reading.survey import Survey


def read_batch_files(
    storage: Storage, found: Survey, directory: str, start: SourceOffset | None, end: SourceOffset
) -> tuple[FileSourceEntry, ...] | None:
    """The files between two offsets of a file source; None where the log does not tell."""
    first = _log_offset(start) + 1 if start is not None else 0
    last = _log_offset(end)
    path = f"sources/{directory}"
    names = files_holding(found.tree.names(path), first, last)
    if names is None:
        return None
    paths = [f"{path}/{name}" for name in names]
    if sum(stat.size_bytes for stat in storage.stat(paths).values()) > FILE_BYTES_MAX:
        return None  # they would all be in memory at once
    contents = storage.read(paths, FILE_BYTES_MAX)
    result: list[FileSourceEntry] = []
    for origin, content in contents.items():
        fact = interpret(origin, content, parse_file_source_log)
        if not isinstance(fact, Known):
            return None
        result += entries_between(fact.value, first, last)
    return tuple(dict.fromkeys(result))


def _log_offset(offset: SourceOffset) -> int:
    position: Position = offset.kind.positions(offset.value)[0]
    assert position.order is not None
    return position.order[0]
