"""From where each source of a checkpoint would be read on by a restart."""

from dataclasses import dataclass

from holdfast.core.checkpoint import SourcePosition
from holdfast.core.fact import Absent, Fact, Known, Unreadable, interpret
from holdfast.core.formats.compactible_log import parse_compactible_name
from holdfast.core.formats.file_source_log import FileSourceEntry, parse_file_source_log
from holdfast.core.limits import FILE_BYTES_MAX
from holdfast.core.offsets.file import FILE
from holdfast.core.offsets.registry import SourceOffset
from holdfast.core.ports import Storage
from holdfast.flows.reading import Look
from holdfast.flows.show import batch_view, kafka_beginning

FileLog = Fact[tuple[FileSourceEntry, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOn:
    """One source: where a restart begins to read, and where the newest plan ends."""

    position: int
    start: SourceOffset | None
    """None where no batch of it is finished, and nothing says where it began."""
    planned: SourceOffset | None
    file_log: FileLog


def positions_of(storage: Storage, look: Look) -> tuple[ReadOn, ...]:
    """Every source of the newest plan; empty where no batch was ever planned."""
    newest = look.found.offsets.last
    if newest is None:
        return ()
    view = batch_view(look, newest)
    found = []
    for move in view.sources:
        end, start = move.source.offset, move.start.offset if move.start else None
        if view.committed:
            start = end
        elif newest == 0 and end is not None and end.kind.name == "kafka":
            value = kafka_beginning(look, move.source)
            known = SourceOffset(kind=end.kind, value=value, text="", is_json=True)
            start = known if value is not None else None
        elif start is not None and end is not None and start.kind is not end.kind:
            start = None  # another source was in this place before
        log = _file_log(storage, look, move.source) if end and end.kind is FILE else Absent("")
        found.append(ReadOn(position=move.source.position, start=start, planned=end, file_log=log))
    return tuple(found)


def _file_log(storage: Storage, look: Look, source: SourcePosition) -> FileLog:
    """Every entry of a file source's log: the newest compact one, and those after it."""
    path = f"sources/{source.name or source.position}"
    parsed = {
        p: name for name in look.found.tree.names(path) if (p := parse_compactible_name(name))
    }
    if not parsed:
        return Absent(path)
    compact = max((number for number, is_compact in parsed if is_compact), default=-1)
    names = [
        f"{path}/{name}"
        for (number, is_compact), name in sorted(parsed.items())
        if number > compact or (is_compact and number == compact)
    ]
    if sum(stat.size_bytes for stat in storage.stat(names).values()) > FILE_BYTES_MAX:
        return Unreadable(path, f"the log has more than {FILE_BYTES_MAX:,} bytes", "HF006")
    entries: list[FileSourceEntry] = []
    for origin, content in storage.read(names, FILE_BYTES_MAX).items():
        fact = interpret(origin, content, parse_file_source_log)
        if not isinstance(fact, Known):
            return fact
        entries += fact.value
    return Known(tuple(dict.fromkeys(entries)), path)
