"""fleet: every checkpoint below a folder or bucket, and what is odd about each.

The base is listed level by level until there are enough folders to work on at once; each of those
is then listed flat, so that a checkpoint costs one listing and one small read.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from holdfast.adapters.records.reading import FOLDER as RECORDS_FOLDER
from holdfast.adapters.storage.opening import open_storage
from holdfast.core.checkpoint import done_through
from holdfast.core.fact import Fact, Known, Unreadable, interpret
from holdfast.core.finding import Finding
from holdfast.core.formats.query_metadata import parse_query_metadata
from holdfast.core.limits import LOG_BYTES_MAX
from holdfast.core.microbatch import Traces, in_flight
from holdfast.core.parts import METADATA
from holdfast.core.ports import Storage
from holdfast.core.reading.survey import KNOWN_ENTRIES, survey
from holdfast.core.tree import Tree
from holdfast.errors import HoldfastError, NotACheckpointError

WORKERS = 32
"""Folders looked at together: an object store answers in 50 ms and does not mind."""

_NO_CHECKPOINTS = frozenset({"_delta_log", "_spark_metadata", RECORDS_FOLDER})
"""Folders that are not gone down into. Our records may hold checkpoints that were put aside."""

_SPREAD_MIN = 32
_LEVELS_MAX = 4

Progress = Callable[[int, int], None]
"""Called with (folders looked at, folders known so far)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetMember:
    """One checkpoint of the fleet, as a line."""

    path: str
    query_id: Fact[str]
    planned: int | None
    committed: int | None
    in_flight: int | None
    done_through: int | None
    committed_at_ms: int | None
    operators: int
    files: int
    size_bytes: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Everything found below a base."""

    location: str
    members: tuple[FleetMember, ...]
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class _Job:
    """A folder to list flat, by its path below the base; '' is the base itself.

    It holds no storage, for a storage remembers its listing: a fleet would fill the memory.
    """

    path: str
    members: list[FleetMember] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def fleet(location: str, progress: Progress = lambda done, known: None) -> Fleet:
    """Find every checkpoint below a location; read-only."""
    base = open_storage(location)
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        jobs, findings = _spread(base, pool)
        done = 0
        for job in pool.map(partial(_look, base), jobs):
            done += 1
            progress(done, len(jobs))
            findings += job.findings
        members = sorted((m for job in jobs for m in job.members), key=lambda m: m.path)
    if not members:
        raise NotACheckpointError(
            "there is no checkpoint below this folder",
            subject=base.location,
            next_action="name a folder above the checkpoints",
        )
    own = (finding for member in members for finding in member.findings)
    found = (*findings, *_twins(members), *_nested(members), *own)
    return Fleet(location=base.location, members=tuple(members), findings=found)


def _spread(base: Storage, pool: ThreadPoolExecutor) -> tuple[list[_Job], list[Finding]]:
    """Go down until there are enough folders, never into one that is a checkpoint itself."""
    level = [_Job("")]
    findings: list[Finding] = []
    for _ in range(_LEVELS_MAX):
        if len(level) >= _SPREAD_MIN:
            break
        deeper: list[_Job] = []
        for job, children in zip(level, pool.map(partial(_children, base), level), strict=True):
            if isinstance(children, HoldfastError):
                if job.path == "":
                    raise children
                findings.append(_unlisted(job.path, children))
            elif children is None:
                deeper.append(job)
            else:
                deeper += [_Job(_join(job.path, name)) for name in children]
        if [job.path for job in deeper] == [job.path for job in level]:
            break
        level = deeper
    return level, findings


def _children(base: Storage, job: _Job) -> tuple[str, ...] | HoldfastError | None:
    """Folders to go down into; None where the folder is to be listed as it is."""
    try:
        entries = _folder(base, job).entries()
    except HoldfastError as error:
        return error
    if KNOWN_ENTRIES & {*entries.folders, *entries.files}:
        return None
    return tuple(n for n in entries.folders if n not in _NO_CHECKPOINTS)


def _folder(base: Storage, job: _Job) -> Storage:
    return base.at(job.path) if job.path else base


def _look(base: Storage, job: _Job) -> _Job:
    try:
        storage = _folder(base, job)
        tree = storage.walk()
        for path in _checkpoint_paths(tree):
            job.members.append(_member(job, storage, tree, path))
    except HoldfastError as error:
        job.findings.append(_unlisted(job.path, error))
    return job


def _checkpoint_paths(tree: Tree) -> Iterator[str]:
    for path in tree.directories:
        if _is_record(path):
            continue
        folders = set(tree.children(path))
        if {"offsets", "commits"} & folders and _holds_batches(tree, path):
            yield path
        elif METADATA in tree.names(path) and folders & {"offsets", "commits", "state", "sources"}:
            yield path
    known = set(tree.directories)
    for directory in sorted({p for d in known for p in _parents(d)} - known):
        if _is_record(directory):
            continue
        if {"offsets", "commits"} & set(tree.children(directory)) and _holds_batches(
            tree, directory
        ):
            yield directory


def _is_record(path: str) -> bool:
    return RECORDS_FOLDER in path and RECORDS_FOLDER in path.split("/")


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _holds_batches(tree: Tree, path: str) -> bool:
    return any(
        name.isdigit() for log in ("offsets", "commits") for name in tree.names(_join(path, log))
    )


def _member(job: _Job, storage: Storage, tree: Tree, path: str) -> FleetMember:
    inside = tree.subtree(path, tree.location) if path else tree
    found = survey(inside)
    name = _join(path, METADATA)
    content = storage.read([name], LOG_BYTES_MAX)[name] if found.has_metadata else None
    query_id = interpret(METADATA, content, parse_query_metadata)
    planned, committed = found.offsets.last, found.commits.last
    newest = _join(path, found.commits.path(committed)) if committed is not None else None
    stat = storage.stat([newest]).get(newest) if newest else None
    shown_path = _join(job.path, path) or "."
    return FleetMember(
        path=shown_path,
        query_id=query_id,
        planned=planned,
        committed=committed,
        in_flight=in_flight(Traces(planned=planned, committed=committed)),
        done_through=done_through(found.offsets, found.commits),
        committed_at_ms=stat.modified_ms if stat else None,
        operators=len(found.operators),
        files=inside.file_count,
        size_bytes=inside.size_bytes,
        findings=tuple(_not_whole(shown_path, query_id, planned, committed)),
    )


def _not_whole(
    path: str, query_id: Fact[str], planned: int | None, committed: int | None
) -> Iterator[Finding]:
    if isinstance(query_id, Unreadable):
        yield Finding(code="HF101", message=f"metadata: {query_id.reason}", path=path)
    elif not isinstance(query_id, Known):
        yield Finding(code="HF124", message="it has no metadata, so no query id", path=path)
    if planned is None and committed is not None:
        yield Finding(code="HF109", message="commits/ without any offsets/", path=path)
    elif planned is None:
        yield Finding(code="HF124", message="no batch was ever planned", path=path)
    elif committed is not None and committed > planned:
        text = f"commits/ reaches batch {committed}, offsets/ only batch {planned}"
        yield Finding(code="HF107", message=text, path=path)


def _twins(members: list[FleetMember]) -> Iterator[Finding]:
    """Two checkpoints with one id: a copy. Running both on one sink loses or doubles rows."""
    by_id: dict[str, list[str]] = {}
    for member in members:
        if isinstance(member.query_id, Known):
            by_id.setdefault(member.query_id.value, []).append(member.path)
    for query_id, paths in by_id.items():
        for path in paths[1:]:
            text = f"same query id {query_id} as {paths[0]}: a copy; running both loses rows"
            yield Finding(code="HF123", message=text, path=path)


def _nested(members: list[FleetMember]) -> Iterator[Finding]:
    paths = {member.path for member in members}
    for path in sorted(paths):
        outer = next((p for p in _parents(path) if p in paths), "." if "." in paths else None)
        if outer is not None and outer != path:
            yield Finding(code="HF122", message=f"lies inside the checkpoint {outer}", path=path)


def _unlisted(path: str, error: HoldfastError) -> Finding:
    return Finding(code="HF114", message=f"could not be listed: {error.message}", path=path)


def _join(base: str, name: str) -> str:
    return f"{base}/{name}" if base and name else base or name
