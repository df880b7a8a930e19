"""Read a checkpoint: one listing, one round of small reads, then as many checks as are cheap."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from holdfast.adapters.codecs.crc32c import crc32c
from holdfast.adapters.codecs.unpack import sniff_codec, unpack
from holdfast.adapters.records.reading import reader_beside
from holdfast.core.checkpoint import Checkpoint
from holdfast.core.fact import Content
from holdfast.core.finding import Finding
from holdfast.core.formats.changelog import CHANGELOG_HEADER_BYTES_MAX
from holdfast.core.formats.log_name import hadoop_checksum_of
from holdfast.core.limits import (
    CHECK_BYTES_MAX,
    CHECK_CHUNK_FILES,
    CHECK_FILES_MAX,
    CHECKSUM_BYTES_MAX,
    ESSENTIAL_BYTES_MAX,
    FILE_BYTES_MAX,
    LOG_BYTES_MAX,
)
from holdfast.core.ports import Storage
from holdfast.core.reading.assembly import Gathered, assemble
from holdfast.core.reading.file_check import Checksums, Codecs, check_file
from holdfast.core.reading.history import History
from holdfast.core.reading.survey import (
    Beside,
    Survey,
    checkable_names,
    essential_names,
    survey,
    with_checksums,
)
from holdfast.core.recording.segment import SEALS
from holdfast.errors import HoldfastError, MalformedError, TooLargeError


def _unpack_head(data: bytes) -> bytes:
    """Unpack by the stream's own magic: the pinned codec may have been another one then."""
    codec = sniff_codec(data)
    if codec is None:
        raise MalformedError("the file is compressed by no codec of Spark")
    return unpack(data, codec, CHANGELOG_HEADER_BYTES_MAX).content


_CODECS = Codecs(crc32c=crc32c, unpack_head=_unpack_head)
_DIRECTORIES_REMEMBERED_MAX = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Against:
    """What files are held against, beside the checksums that lie next to them."""

    codecs: Codecs = _CODECS
    seals: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at a checkpoint: what it is, and what was opened for it."""

    checkpoint: Checkpoint
    found: Survey
    contents: Mapping[str, Content]
    history: History


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
    beside: Beside = {}
    contents = _read_essentials(storage, with_checksums(found.tree, essentials, beside))
    history = History()
    against, more_notes = _seals(storage, found, batch, verify=verify)
    _check(essentials, contents, history, found, against)
    if verify or storage.reads_are_cheap:
        _check_more(storage, found, history, beside, against, verify=verify)
    else:
        _look_for_repartition(storage, found, history, against)
    newest = [log.path(log.last) for log in (found.offsets, found.commits) if log.last is not None]
    gathered = Gathered(
        contents=contents,
        history=history,
        stats=storage.stat(newest),
        notes=(*notes, *more_notes),
    )
    checkpoint = assemble(found, gathered)
    return Look(checkpoint=checkpoint, found=found, contents=contents, history=history)


def _seals(
    storage: Storage, found: Survey, batch: int | None, *, verify: bool
) -> tuple[_Against, tuple[Finding, ...]]:
    """The seals beside the checkpoint, where there are any, for as many batches as are read."""
    ids = found.offsets.ids
    reader = reader_beside(storage, SEALS) if ids or found.commits.ids else None
    if reader is None:
        return _Against(), ()
    if not ids or verify or storage.reads_are_cheap:
        oldest = ids[0] if ids else 0
    else:
        wanted = [*ids[-2:], *(() if batch is None else (batch,))]
        oldest = max(0, min(wanted) - 1)
    # Loaded by name: hashing costs milliseconds to import, which few checkpoints need.
    sealed = importlib.import_module("holdfast.flows.records.sealed")
    read = sealed.read_seals(reader, oldest=oldest)
    codecs = replace(_CODECS, digest=sealed.digest)
    return _Against(codecs=codecs, seals=read.digests), read.findings


def _look_for_repartition(
    storage: Storage, found: Survey, history: History, against: _Against
) -> None:
    """Find by halving where the number of partitions changed, when each read is a request.

    Which state can be loaded depends on it. One plan, the oldest, tells that it never did.
    """
    ids, counts = found.offsets.ids, history.partitions_by_batch
    if not found.operators or not ids or ids[-1] not in counts:
        return
    low, high = 0, len(ids) - 1
    place = low
    while low < high:
        path = found.offsets.path(ids[place])
        if ids[place] not in counts:
            _check([path], storage.read([path], LOG_BYTES_MAX), history, found, against)
        count = counts.get(ids[place])
        if count is None or (place == low == 0 and count == counts[ids[high]]):
            return
        low, high = (low, place) if count == counts[ids[high]] else (place, high)
        if high - low <= 1:
            return
        place = (low + high) // 2


def _check_more(
    storage: Storage,
    found: Survey,
    history: History,
    beside: Beside,
    against: _Against,
    *,
    verify: bool,
) -> None:
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
        if len(beside) > _DIRECTORIES_REMEMBERED_MAX:
            beside.clear()
        sizes = _sizes(storage, with_checksums(found.tree, chunk, beside))
        for group in _groups(chunk, sizes):
            contents = _read_group(storage, with_checksums(found.tree, group, beside), sizes)
            _check(group, contents, history, found, against)


def _groups(names: list[str], sizes: Mapping[str, int]) -> Iterator[list[str]]:
    """Cut a chunk so that what is held in memory at a time stays below the limit of one file."""
    group: list[str] = []
    held = 0
    for name in names:
        size = sizes.get(name, 0) + sum(sizes.get(c, 0) for c in _checksum_names(name))
        if group and held + size > FILE_BYTES_MAX:
            yield group
            group, held = [], 0
        group.append(name)
        held += size
    if group:
        yield group


def _read_group(
    storage: Storage, names: list[str], sizes: Mapping[str, int]
) -> Mapping[str, Content]:
    large = {n for n in names if n.endswith(".crc") and sizes.get(n, 0) > CHECKSUM_BYTES_MAX}
    refused: dict[str, Content] = {
        name: TooLargeError(f"{sizes[name]:,} bytes, more than the {CHECKSUM_BYTES_MAX:,} read")
        for name in large
    }
    read = storage.read([name for name in names if name not in large], FILE_BYTES_MAX)
    return {**read, **refused}


def _read_essentials(storage: Storage, names: list[str]) -> Mapping[str, Content]:
    """Read what a first look needs, which stays in memory, up to a limit for all of it."""
    sizes = _sizes(storage, names)
    left = ESSENTIAL_BYTES_MAX
    wanted: list[str] = []
    refused: dict[str, Content] = {}
    for name in names:
        size = sizes.get(name, 0)
        if left < size <= LOG_BYTES_MAX:
            text = (
                f"not read: the files of a first look have more than {ESSENTIAL_BYTES_MAX:,} bytes"
            )
            refused[name] = TooLargeError(text)
        else:
            left -= size if size <= LOG_BYTES_MAX else 0
            wanted.append(name)
    return {**storage.read(wanted, LOG_BYTES_MAX), **refused}


def _sizes(storage: Storage, names: list[str]) -> dict[str, int]:
    return {name: stat.size_bytes for name, stat in storage.stat(names).items()}


def _check(
    names: list[str],
    contents: Mapping[str, Content],
    history: History,
    found: Survey,
    against: _Against,
) -> None:
    for name in names:
        content = contents.get(name)
        if isinstance(content, HoldfastError):
            history.fail(Finding(code="HF101", message=content.message, path=name))
        elif content is not None:
            hadoop, spark, hadoop_of_spark = map(contents.get, _checksum_names(name))
            checksums = Checksums(
                hadoop=hadoop,
                spark=spark,
                hadoop_of_spark=hadoop_of_spark,
                seal=against.seals.get(name),
            )
            history.add(check_file(name, content, checksums, against.codecs), found.tree)


def _checksum_names(name: str) -> tuple[str, str, str]:
    """Where checksums of a file would be: Hadoop's, Spark's, and Hadoop's of Spark's."""
    directory, _, leaf = name.rpartition("/")
    prefix = f"{directory}/" if directory else ""
    of_spark = f"{leaf}.crc"
    return (
        prefix + hadoop_checksum_of(leaf),
        prefix + of_spark,
        prefix + hadoop_checksum_of(of_spark),
    )
