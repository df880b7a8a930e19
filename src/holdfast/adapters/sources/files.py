"""What a file source still has: whether the files in its log are there, and as they were."""

import fnmatch
import os.path
from dataclasses import dataclass, field
from urllib.parse import unquote

from holdfast.adapters.sources.presence import Presence, presence_of
from holdfast.adapters.storage.opening import local_path, open_storage
from holdfast.core.evidence.source_state import NAMES_MAX, FileTouch
from holdfast.core.formats.file_source_log import FileSourceEntry
from holdfast.core.job import SourceSpec
from holdfast.core.tree import Tree
from holdfast.errors import HoldfastError

FILES_CHECKED_MAX = 10_000
"""Files of the log that are looked at, the newest. On a store each folder of them is a listing."""

FOLDERS_LOOKED_AT_MAX = 1_000
"""Folders of those files, the ones with the newest first: each may be a listing."""

_GLOB = frozenset("*?[{")
_SECOND_MS = 1_000


@dataclass(slots=True)
class FilesAnswer:
    """What was found out about input files."""

    missing: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    missing_count: int = 0
    altered_count: int = 0
    needed_count: int = 0
    checked: int = 0
    unread: int | None = None
    """Files that no finished batch has read; None where they could not be counted."""
    touched: list[FileTouch] = field(default_factory=list)
    unlooked_needed: int = 0
    """Files that a restart will read and that could not be looked at."""
    notes: list[str] = field(default_factory=list)


def ask_files(
    spec: SourceSpec | None,
    entries: tuple[FileSourceEntry, ...],
    done: int | None,
    planned: int | None = None,
) -> FilesAnswer:
    """Look at the newest files of the log, and count what is new in the folder.

    `done` is the id in the log up to which batches are finished, `planned` the one at which the
    newest plan ends.
    """
    found = FilesAnswer()
    by_age = sorted(entries, key=lambda entry: entry.batch_id)
    newest = by_age[-FILES_CHECKED_MAX:]
    if len(newest) < len(by_age):
        left = len(by_age) - len(newest)
        found.notes.append(f"{left:,} older files of the log were not looked at")
    finished = -1 if done is None else done
    needed = {entry.path for entry in by_age if finished < entry.batch_id}
    found.unlooked_needed = len(needed - _check(newest, needed, found))
    last = -1 if planned is None else planned
    in_flight = {entry.path for entry in by_age if finished < entry.batch_id <= last}
    found.touched = [each for each in found.touched if each.path in in_flight]
    found.touched.sort(key=lambda each: (-each.at_ms, each.path))
    del found.touched[NAMES_MAX:]
    # An entry past the plan is one that Spark wrote before it died: the next batch has it.
    logged = sum(1 for entry in by_age if entry.batch_id > finished)
    new = _new_files(spec, {_plain(entry.path) for entry in by_age}, found)
    found.unread = None if new is None else logged + new
    return found


def _check(entries: list[FileSourceEntry], needed: set[str], found: FilesAnswer) -> set[str]:
    """Look at each file; the paths of those that gave an answer."""
    folders: dict[str, list[FileSourceEntry]] = {}
    for entry in reversed(entries):
        folders.setdefault(entry.path.rpartition("/")[0], []).append(entry)
    looked: set[str] = set()
    for number, (folder, inside) in enumerate(folders.items()):
        if number >= FOLDERS_LOOKED_AT_MAX:
            break
        names = {unquote(entry.path.rpartition("/")[2]): entry for entry in inside}
        seen = _look(folder, list(names))
        looked |= {names[name].path for name in names if name not in seen.unlooked}
        for name in sorted(seen.missing):
            _note(names[name].path, found.missing, needed, found)
            found.missing_count += 1
        for name, stat in seen.stats.items():
            if not _same_time(stat.modified_ms, names[name].timestamp_ms):
                _note(names[name].path, found.altered, needed, found)
                found.altered_count += 1
            elif stat.changed_ms is not None and names[name].path in needed:
                found.touched.append(FileTouch(path=names[name].path, at_ms=stat.changed_ms))
    found.checked = len(looked)
    unlooked = len({entry.path for entry in entries}) - len(looked)
    if unlooked:
        found.notes.append(f"{unlooked:,} files of the log could not be looked at")
    return looked


def _note(path: str, names: list[str], needed: set[str], found: FilesAnswer) -> None:
    if path in needed:
        found.needed_count += 1
        names.insert(0, path)
        del names[NAMES_MAX:]
    elif len(names) < NAMES_MAX:
        names.append(path)


def _look(folder: str, names: list[str]) -> Presence:
    location = folder if folder.startswith("file:") else unquote(folder)
    try:
        return presence_of(open_storage(location), names)
    except HoldfastError as error:
        is_missing = getattr(error, "why", "") == "missing"
        everything = frozenset(names)
        return Presence(missing=everything) if is_missing else Presence(unlooked=everything)


def _same_time(now_ms: int, logged_ms: int) -> bool:
    """Stores and some file systems keep whole seconds."""
    if now_ms % _SECOND_MS and logged_ms % _SECOND_MS:
        return now_ms == logged_ms
    return now_ms // _SECOND_MS == logged_ms // _SECOND_MS


def _new_files(spec: SourceSpec | None, logged: set[str], found: FilesAnswer) -> int | None:
    """Files in the folder that the log does not have yet; None where they cannot be counted."""
    if spec is None or not spec.path:
        found.notes.append("new files are not counted: the folder that is read is not known")
        return None
    if _GLOB & set(spec.path) or spec.options.get("fileNameOnly", "").lower() == "true":
        found.notes.append("new files are not counted: the path is a pattern, or names are all")
        return None
    try:
        tree = open_storage(spec.path).walk()
    except HoldfastError as error:
        found.notes.append(f"new files are not counted: {error.message}")
        return None
    root = _plain(spec.path if local_path(spec.path) is None else os.path.abspath(_bare(spec.path)))
    deep = spec.options.get("recursiveFileLookup", "").lower() == "true"
    pattern = spec.options.get("pathGlobFilter")
    return sum(
        1
        for folder, name in _visible(tree, deep=deep)
        if (pattern is None or fnmatch.fnmatch(name, pattern))
        and f"{root}/{folder}{name}" not in logged
    )


def _visible(tree: Tree, *, deep: bool) -> list[tuple[str, str]]:
    """Folder and name of what Spark would list: nothing hidden, folders only as partitions."""
    found = []
    for path, directory in tree.directories.items():
        steps = [step for step in path.split("/") if step]
        if any(step.startswith((".", "_")) or not (deep or "=" in step) for step in steps):
            continue
        prefix = f"{path}/" if path else ""
        found += [(prefix, name) for name in directory.names if not name.startswith((".", "_"))]
    return found


def _bare(path: str) -> str:
    found = local_path(path)
    assert found is not None
    return str(found)


def _plain(path: str) -> str:
    """A path to compare by: no escapes, and one spelling of local files and of each store."""
    local = local_path(path)
    if local is not None:
        return str(local).rstrip("/")
    scheme, _, rest = path.partition("://")
    scheme = "s3" if scheme in ("s3a", "s3n") else scheme
    return f"{scheme}://{unquote(rest)}".rstrip("/")
