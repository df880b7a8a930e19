"""A table of plain files on a disk: the files of a batch appear together, by one rename."""

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import file_digest
from pathlib import Path

from fsspec.implementations.local import LocalFileSystem

from holdfast.adapters.file_tables.place import (
    LOG,
    PAGES,
    STAGING,
    Addresses,
    Swept,
    differs,
    epoch_of_staged,
    is_data,
)
from holdfast.adapters.records.local import LocalRecords
from holdfast.core.running.file_ledger import Entry
from holdfast.errors import MalformedError, RefusedError, UnreachableError

_DIGESTS_AT_ONCE = 4
_SWEEP_S_MAX = 20.0
"""A start must not wait for ever for what a killed one has left; the next one goes on."""
_IN_THE_WAY = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EISDIR)


class LocalPlace:
    """Implements file_tables.place.Place."""

    def __init__(
        self, addresses: Addresses, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Neither folder need exist yet."""
        self._table = Path(addresses.table)
        self._ledger = Path(addresses.ledger)
        self._clock = clock
        self.records = LocalRecords(self._ledger)

    def stage(self, staged: str) -> str:
        """The folder above it; its own folder is for the writer to make."""
        path = self._staged(staged)
        with self._spoken(path.parent):
            make_folders(path.parent)
            make_folders(self._table)
            if os.stat(self._table).st_dev != os.stat(path.parent).st_dev:
                raise RefusedError(
                    "table and ledger lie on two file systems: files could not be published by one "
                    "rename",
                    subject=str(self._table),
                    next_action="add ledger: … to the sink, a folder on the disk of the table",
                )
        return str(path)

    def staged_files(self, staged: str) -> Sequence[tuple[str, int]]:
        """Data files alone; others are removed, so that no reader stumbles over them."""
        root = self._staged(staged)
        found: list[tuple[str, int]] = []
        with self._spoken(root):
            for path in _plain_files(root):
                name = path.relative_to(root).as_posix()
                if is_data(name):
                    found.append((name, path.stat().st_size))
                else:
                    path.unlink()  # checksums of Hadoop's local file system, marks of a job's end
            for folder in [path for path in root.glob("_*") if "=" not in path.name]:
                shutil.rmtree(folder, ignore_errors=True)  # of tasks that were given up
        return sorted(found)

    def secure(self, staged: str, files: Sequence[tuple[str, int]]) -> Sequence[str | None]:
        """Sync each file and each folder; SHA-256 of the bytes, read again."""
        root = self._staged(staged)
        with self._spoken(root), ThreadPoolExecutor(_DIGESTS_AT_ONCE) as pool:
            digests = list(pool.map(_synced, [root / name for name, _ in files]))
            folders = {root, *(parent for name, _ in files for parent in _folders(root, name))}
            for folder in sorted(folders, reverse=True):
                sync(folder)
        return digests

    def publish(self, entry: Entry) -> None:
        """One rename; whoever comes second finds it done."""
        if entry.folder is None or entry.staged is None:
            return
        target, source = self._table / entry.folder, self._staged(entry.staged)
        with self._spoken(target):
            make_folders(target.parent)
            try:
                os.rename(source, target)
            except FileNotFoundError as error:
                if target.is_dir():
                    return
                raise MalformedError(
                    f"the files of batch {entry.batch} are gone, and the ledger has the batch",
                    subject=str(target),
                    next_action="find out who removed them, and bring them back",
                ) from error
            except OSError as error:
                if error.errno not in _IN_THE_WAY:
                    raise
                raise RefusedError(
                    f"something else lies where the files of batch {entry.batch} belong",
                    subject=str(target),
                    next_action="move it away, then start again",
                ) from error
            sync(target.parent)
            sync(source.parent)

    def misfit(self, entry: Entry) -> str | None:
        """By names and sizes; nothing is read."""
        if entry.folder is None:
            return None
        root = self._table / entry.folder
        if not root.is_dir():
            return f"{entry.folder} is missing"
        found: dict[str, int] = {}
        for file in entry.files:
            with self._spoken(root), suppress(FileNotFoundError, NotADirectoryError):
                found[file.path] = (root / file.path).stat().st_size
        told = differs(entry.files, found)
        return None if told is None else f"{entry.folder}/{told}"

    def misfits(self, entries: Sequence[Entry]) -> Mapping[int, str]:
        """One after the other: a disk is asked as quickly."""
        found = ((entry.number, self.misfit(entry)) for entry in entries)
        return {number: told for number, told in found if told is not None}

    def is_pending(self, entry: Entry) -> bool:
        """The folder of the attempt is still there."""
        return entry.staged is not None and self._staged(entry.staged).is_dir()

    def queries(self) -> Sequence[str]:
        """Folders of the log."""
        try:
            return sorted(os.listdir(self._ledger / LOG))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unreachable(error, self._ledger) from error

    def discard(self, staged: str) -> None:
        """The whole folder of the attempt."""
        shutil.rmtree(self._staged(staged), ignore_errors=True)

    def sweep(self, query_id: str, below_epoch: int) -> Swept:
        """Only folders with a name as we make them are looked at."""
        folder = self._staged(query_id)
        try:
            names = sorted(os.listdir(folder))
        except FileNotFoundError:
            names = []
        except OSError as error:
            raise _unreachable(error, folder) from error
        deadline = self._clock() + _SWEEP_S_MAX
        removed = left = 0
        for name in names:
            epoch = epoch_of_staged(name)
            if epoch is None or epoch >= below_epoch or (folder / name).is_symlink():
                continue
            if self._clock() > deadline:
                left += 1
                continue
            shutil.rmtree(folder / name, ignore_errors=True)
            removed += 1
        for records in (LOG, PAGES):
            for path in (self._ledger / records / query_id).glob(".*.tmp"):
                path.unlink(missing_ok=True)  # half an entry; its writer has lost the number
        return Swept(removed=removed, left=left)

    def holds(self, name: str) -> bool:
        """Links count as well."""
        return os.path.lexists(self._table / name)

    def file_system(self) -> LocalFileSystem:
        """The disk."""
        return LocalFileSystem()

    def foreign(self) -> str | None:
        """The first name in the folder."""
        try:
            return min(os.listdir(self._table), default=None)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreachable(error, self._table) from error

    def _staged(self, name: str) -> Path:
        return self._ledger / STAGING / name

    @contextmanager
    def _spoken(self, subject: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise _unreachable(error, subject) from error


def make_folders(folder: Path) -> None:
    """Make a folder and those above it, and each durable in the one above."""
    if folder.is_dir():
        return
    make_folders(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir()
    sync(folder.parent)


def sync(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _synced(path: Path) -> str:
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return file_digest(file, "sha256").hexdigest()


def _plain_files(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root):
        for name in names:
            yield Path(folder) / name


def _folders(root: Path, name: str) -> Iterator[Path]:
    folder = (root / name).parent
    while folder != root:
        yield folder
        folder = folder.parent


def _unreachable(error: OSError, subject: Path) -> UnreachableError:
    return UnreachableError(
        f"cannot be read or written: {error.strerror or type(error).__name__}",
        subject=str(subject),
        next_action="check the path, the permissions and the space on the disk",
        why="forbidden" if isinstance(error, PermissionError) else "unanswered",
    )
