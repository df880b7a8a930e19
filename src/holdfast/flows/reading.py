"""Read a checkpoint: one listing, one round of small reads, then as many checks as are cheap."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from holdfast.adapters.codecs.crc32c import crc32c
from holdfast.adapters.codecs.unpack import sniff_codec, unpack
from holdfast.core.assembly import Gathered, assemble
from holdfast.core.checkpoint import Checkpoint
from holdfast.core.fact import Content
from holdfast.core.file_check import Codecs, check_file
from holdfast.core.finding import Finding
from holdfast.core.formats.changelog import CHANGELOG_HEADER_BYTES_MAX
from holdfast.core.formats.log_name import hadoop_checksum_of
from holdfast.core.history import History
from holdfast.core.limits import (
    CHECK_BYTES_MAX,
    CHECK_CHUNK_FILES,
    CHECK_FILES_MAX,
    FILE_BYTES_MAX,
    LOG_BYTES_MAX,
)
from holdfast.core.ports import Storage
from holdfast.core.survey import Survey, checkable_names, essential_names, survey, with_checksums
from holdfast.errors import HoldfastError, MalformedError


def _unpack_head(data: bytes) -> bytes:
    """Unpack by the stream's own magic: the pinned codec may have been another one then."""
    codec = sniff_codec(data)
    if codec is None:
        raise MalformedError("the file is compressed by no codec of Spark")
    return unpack(data, codec, CHANGELOG_HEADER_BYTES_MAX).content


_CODECS = Codecs(crc32c=crc32c, unpack_head=_unpack_head)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at a checkpoint: what it is, and what was opened for it."""

    checkpoint: Checkpoint
    found: Survey
    contents: Mapping[str, Content]


def read_checkpoint(
    storage: Storage,
    *,
    verify: bool = False,
    batch: int | None = None,
    more: Callable[[Survey], list[str]] | None = None,
    notes: tuple[Finding, ...] = (),
) -> Look:
    """Read a checkpoint. With verify every file is read and held against its checksum."""
    found = survey(storage.walk())
    essentials = list(
        dict.fromkeys([*essential_names(found, batch), *(more(found) if more else ())])
    )
    contents = storage.read(with_checksums(found.tree, essentials), LOG_BYTES_MAX)
    history = History()
    _check(essentials, contents, history, found)
    if verify or storage.reads_are_cheap:
        _check_more(storage, found, history, verify)
    newest = [log.path(log.last) for log in (found.offsets, found.commits) if log.last is not None]
    gathered = Gathered(contents=contents, history=history, stats=storage.stat(newest), notes=notes)
    return Look(checkpoint=assemble(found, gathered), found=found, contents=contents)


def _check_more(storage: Storage, found: Survey, history: History, verify: bool) -> None:
    """Check files chunk by chunk: all of them, or as many as cost next to nothing."""
    names: Iterator[str] = checkable_names(found)
    if not verify:
        names = islice(names, CHECK_FILES_MAX)
    budget = None if verify else CHECK_BYTES_MAX
    while chunk := list(islice(names, CHECK_CHUNK_FILES)):
        if budget is not None:
            stats = storage.stat(chunk)
            chosen = []
            for name in chunk:
                size = stats[name].size_bytes if name in stats else 0
                if size <= budget:
                    budget -= size
                    chosen.append(name)
            chunk = chosen
        for group in _groups(storage, chunk):
            contents = storage.read(with_checksums(found.tree, group), FILE_BYTES_MAX)
            _check(group, contents, history, found)


def _groups(storage: Storage, names: list[str]) -> Iterator[list[str]]:
    """Cut a chunk so that what is held in memory at a time stays below the limit of one file."""
    stats = storage.stat(names)
    group: list[str] = []
    held = 0
    for name in names:
        size = stats[name].size_bytes if name in stats else 0
        if group and held + size > FILE_BYTES_MAX:
            yield group
            group, held = [], 0
        group.append(name)
        held += size
    if group:
        yield group


def _check(
    names: list[str], contents: Mapping[str, Content], history: History, found: Survey
) -> None:
    for name in names:
        content = contents.get(name)
        if isinstance(content, HoldfastError):
            history.fail(Finding(code="HF101", message=content.message, path=name))
        elif content is not None:
            directory, _, leaf = name.rpartition("/")
            prefix = f"{directory}/" if directory else ""
            checked = check_file(
                name,
                content,
                _bytes(contents.get(prefix + hadoop_checksum_of(leaf))),
                _bytes(contents.get(f"{name}.crc")),
                _CODECS,
            )
            history.add(checked, found.tree)


def _bytes(content: Content) -> bytes | None:
    return content if isinstance(content, bytes) else None
