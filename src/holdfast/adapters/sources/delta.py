"""What a Delta table still has for a stream: its id, its oldest commit, its files, its retention.

The table's id and properties come from delta-rs; what a stream reads are the commits themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from urllib.parse import unquote

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from holdfast.adapters.sources.presence import Presence, presence_of
from holdfast.adapters.storage.opening import local_path, open_storage, shown
from holdfast.core.evidence.source_state import NAMES_MAX, PartState
from holdfast.core.formats.delta_commit import (
    AddedFile,
    DeltaCommit,
    checkpoint_version,
    commit_version,
    interval_ms,
    parse_delta_commit,
)
from holdfast.core.limits import FILE_BYTES_MAX
from holdfast.core.ports import Storage
from holdfast.core.tree import FileStat
from holdfast.errors import CheckpointError, HoldfastError, UnreachableError

COMMITS_READ_MAX = 1_000
"""Commits that are read to count records and to look for their files."""

FILES_CHECKED_MAX = 10_000

_LOG = "_delta_log"
_LOG_RETENTION = ("delta.logRetentionDuration", "interval 30 days")
_FILE_RETENTION = ("delta.deletedFileRetentionDuration", "interval 1 week")
"""Properties of the table, and what Delta takes where they are not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaPosition:
    """Where a stream stands: at a version, after so many of its files."""

    version: int
    index: int
    """Of the last file that was read; below 0 where none of this version was."""
    is_starting: bool
    """Whether it is still inside the snapshot that it began with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaAnswer:
    """What a table said."""

    table_id: str
    part: PartState
    missing: tuple[str, ...] = ()
    missing_count: int = 0
    checked: int = 0
    notes: tuple[str, ...] = ()
    problem: str = ""
    """What of it gave no answer, so that nobody knows whether all is there."""


def ask_delta(path: str, position: DeltaPosition | None) -> DeltaAnswer:
    """Hold a position against a table; raises HoldfastError where it cannot be asked."""
    table_id, properties, newest = _opened(path)
    table = open_storage(path)
    log = table.at(_LOG)
    names = log.entries().files
    commits = {v for name in names if (v := commit_version(name)) is not None}
    checkpoints = {v for name in names if (v := checkpoint_version(name)) is not None}
    newest = max(commits, default=newest)
    oldest = _oldest_commit(commits, newest)
    if position is not None and position.is_starting:
        oldest = _oldest_snapshot(oldest, checkpoints)
    part = PartState(name="", stored=None, earliest=oldest, latest=newest + 1)
    if position is None:
        return DeltaAnswer(table_id=table_id, part=part)
    part = replace(
        part,
        stored=position.version,
        stored_is_readable=oldest <= position.version <= newest + 1,
        lag=max(0, newest + 1 - max(position.version, oldest)),
    )
    if not part.lag:
        return DeltaAnswer(table_id=table_id, part=replace(part, lag_records=0))
    answer = DeltaAnswer(table_id=table_id, part=part)
    return _looked_through(table, log, answer, position, properties)


def _opened(path: str) -> tuple[str, dict[str, str], int]:
    where = str(local_path(path) or path.replace("s3a://", "s3://", 1))
    try:
        table = DeltaTable(where)
        metadata = table.metadata()
        return str(metadata.id), dict(metadata.configuration), table.version()
    except (DeltaError, OSError, ValueError) as error:
        said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise UnreachableError(
            f"the table cannot be opened: {said}",
            subject=shown(path),
            next_action="check the path of the table",
        ) from error


def _oldest_commit(commits: set[int], newest: int) -> int:
    """The first version from which every commit up to the newest is there."""
    oldest = newest
    while oldest - 1 in commits:
        oldest -= 1
    return oldest


def _oldest_snapshot(oldest_commit: int, checkpoints: set[int]) -> int:
    """The first version whose files can still be told, from a checkpoint and commits after it."""
    if oldest_commit == 0:
        return 0
    return min((v for v in checkpoints if v >= oldest_commit - 1), default=oldest_commit)


def _looked_through(
    table: Storage,
    log: Storage,
    answer: DeltaAnswer,
    position: DeltaPosition,
    properties: dict[str, str],
) -> DeltaAnswer:
    """Read the commits that are still to come: records, files, and what retention does."""
    part = answer.part
    assert part.latest is not None and part.earliest is not None
    first = max(position.version, part.earliest)
    names = {v: f"{v:020d}.json" for v in range(first, min(part.latest, first + COMMITS_READ_MAX))}
    stats = log.stat(list(names.values()))
    names = _as_many_as_fit(names, stats)
    try:
        commits = _read(log, names)
    except HoldfastError as error:
        unknown = replace(part, stored_is_readable=None if part.stored_is_readable else False)
        return replace(answer, part=unknown, problem=f"its commits: {error.message}")
    added = [file for version in names for file in _pending(commits, version, position)]
    known = [file.records for file in added if file.records is not None]
    since_ms = _modified_ms(stats, names.get(first))
    checked = [] if position.is_starting else [file.path for file in added[:FILES_CHECKED_MAX]]
    seen = _presence(table, checked)
    whole = len(names) == part.latest - first and not position.is_starting
    clock = _clock(commits, {file.path for file in added}, since_ms, properties)
    readable: bool | None = False if seen.missing else part.stored_is_readable
    if readable and not (whole and len(checked) == len(added) and not seen.unlooked):
        readable = None
    timed = replace(
        part,
        stored_is_readable=readable,
        lag_records=sum(known) if whole and len(known) == len(added) else None,
        stored_at_ms=since_ms,
        counted_from_ms=clock[0] if clock else None,
        retention_ms=clock[1] if clock else None,
    )
    limit = f"only {len(names):,} of the commits to come and {len(checked):,} files were looked at"
    return replace(
        answer,
        part=timed,
        missing=tuple(sorted(seen.missing)[:NAMES_MAX]),
        missing_count=len(seen.missing),
        checked=len(checked) - len(seen.unlooked),
        notes=() if whole and len(checked) == len(added) else (limit,),
        problem=f"{len(seen.unlooked):,} files to read gave no answer" if seen.unlooked else "",
    )


def _modified_ms(stats: Mapping[str, FileStat], name: str | None) -> int | None:
    return stats[name].modified_ms if name is not None and name in stats else None


def _as_many_as_fit(names: dict[int, str], stats: Mapping[str, FileStat]) -> dict[int, str]:
    """The first of the commits, as many as may be in memory together."""
    sizes = [stats[name].size_bytes if name in stats else 0 for name in names.values()]
    return {
        version: name
        for (version, name), held in zip(names.items(), accumulate(sizes), strict=True)
        if held <= FILE_BYTES_MAX
    }


def _read(log: Storage, names: dict[int, str]) -> dict[int, DeltaCommit]:
    contents = log.read(list(names.values()), FILE_BYTES_MAX)
    found = {}
    for version, name in names.items():
        content = contents[name]
        if content is None:
            raise CheckpointError(f"commit {version:,} vanished meanwhile")
        if isinstance(content, HoldfastError):
            raise content
        found[version] = parse_delta_commit(content)
    return found


def _pending(
    commits: dict[int, DeltaCommit], version: int, position: DeltaPosition
) -> tuple[AddedFile, ...]:
    added = commits[version].added
    # Files of a commit are numbered in the order of their actions (DeltaSource, IndexedFile);
    # several numbers below 0 stand before all of them (DeltaSourceOffset).
    read = max(position.index + 1, 0) if version == position.version else 0
    return added[read:]


def _presence(table: Storage, paths: list[str]) -> Presence:
    """Whether the files are there, or a vacuum took them; those given by URI are not looked at."""
    inside = {unquote(path) for path in paths if "://" not in path}
    seen = presence_of(table, sorted(inside))
    return replace(
        seen, unlooked=seen.unlooked | frozenset(path for path in paths if "://" in path)
    )


def _clock(
    commits: dict[int, DeltaCommit],
    added: set[str],
    since_ms: int | None,
    properties: dict[str, str],
) -> tuple[int, int] | None:
    """Which goes first: the oldest commit by the log's retention, or a removed file by vacuum."""
    log_ms, file_ms = (
        _retention(properties, _LOG_RETENTION),
        _retention(properties, _FILE_RETENTION),
    )
    removed = [
        at_ms
        for commit in commits.values()
        for path, at_ms in commit.removed
        if path in added and at_ms is not None
    ]
    clocks = []
    if since_ms is not None and log_ms is not None:
        clocks.append((since_ms, log_ms))
    if removed and file_ms is not None:
        clocks.append((min(removed), file_ms))
    return min(clocks, key=sum, default=None)


def _retention(properties: dict[str, str], named: tuple[str, str]) -> int | None:
    name, default = named
    return interval_ms(properties.get(name, default))
