"""A folder on a local disk whose files may be moved: by rename and link, durable on return.

A file is created under a temporary name of ours and linked to its own, so that it appears whole or
not at all. Temporary files lie in our records beside the folder: a kill leaves none in it. Folders
that were left empty stay: Spark passes over them.
"""

import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from holdfast.adapters.records.opening import records_path
from holdfast.core.limits import DIGEST_BYTES_MAX
from holdfast.core.plans.ports import Place
from holdfast.core.plans.step import FileMark
from holdfast.errors import RefusedError, UnreachableError

ARCHIVE = "archive"
_CHUNK_BYTES = 1 << 20


class LocalPlace:
    """Implements core.plans.ports.Place."""

    def __init__(self, root: Path) -> None:
        """The root may be a symbolic link, or not exist yet; nothing below it is followed out."""
        self._root = os.path.realpath(root)
        self.location = Path(self._root).as_uri()

    def marks(self, names: Sequence[str]) -> Mapping[str, FileMark]:
        """Size and digest of each file that is there."""
        found = {}
        for name in names:
            with self._spoken(name), suppress(FileNotFoundError, NotADirectoryError):
                found[name] = _mark(self._path(name), name)
        return found

    def create(self, name: str, data: bytes) -> None:
        """Write beside, then link to the name."""
        path = self._path(name)
        with self._spoken(name), self._temporary(path) as temporary:
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            self._link(temporary, path, name)

    def move(self, names: Sequence[str], to: Place) -> None:
        """Rename; the folders of both ends are made durable once each."""
        target = _local(to)
        touched: set[str] = set()
        for name in names:
            here, there = self._path(name), target._path(name)
            with self._spoken(name):
                if not os.path.lexists(here):
                    continue
                if os.path.lexists(there):
                    self._refuse_other(there, here, name, to)
                _make_folders(os.path.dirname(there))
                os.rename(here, there)
            touched |= {os.path.dirname(here), os.path.dirname(there)}
        for folder in sorted(touched):
            with self._spoken(folder):
                _sync(folder)

    def copy(self, names: Sequence[str], to: Place) -> None:
        """Copy through a temporary file; to another store, through memory."""
        for name in names:
            if not isinstance(to, LocalPlace):
                with self._spoken(name), open(self._path(name), "rb") as file:
                    data = file.read()
                to.create(name, data)
                continue
            path = to._path(name)
            with self._spoken(name), to._temporary(path) as temporary:
                with open(self._path(name), "rb") as source, open(temporary, "xb") as file:
                    shutil.copyfileobj(source, file, _CHUNK_BYTES)
                    file.flush()
                    os.fsync(file.fileno())
                to._link(temporary, path, name)

    def archive(self, operation: str) -> Place:
        """Beside the folder; files of our own records go aside inside them."""
        if _is_ours(self._root):
            return LocalPlace(Path(self._root) / ARCHIVE / operation / "records")
        beside = records_path(Path(self._root), self.location)
        return LocalPlace(beside / ARCHIVE / operation / "checkpoint")

    @contextmanager
    def _temporary(self, path: str) -> Iterator[str]:
        """A name for what is to be linked to the path; gone afterwards."""
        folder, leaf = os.path.split(path)
        _make_folders(folder)
        if not _is_ours(self._root):
            folder = os.path.join(records_path(Path(self._root), self.location), ARCHIVE)
            _make_folders(folder)
        temporary = os.path.join(folder, f".{leaf}.{uuid.uuid4()}.tmp")
        try:
            yield temporary
        finally:
            with suppress(OSError):
                os.unlink(temporary)

    def _link(self, temporary: str, path: str, name: str) -> None:
        try:
            os.link(temporary, path, follow_symlinks=False)
        except FileExistsError:
            self._refuse_other(path, temporary, name, self)
        _sync(os.path.dirname(path))

    def _refuse_other(self, found: str, wanted: str, name: str, place: Place) -> None:
        same = _mark(found, name, whole=True) == _mark(wanted, name, whole=True)
        if not same:
            raise RefusedError(
                "other bytes lie where this file is to go",
                subject=f"{place.location}/{name}",
                next_action="find out who wrote them; nothing was overwritten",
            )

    def _path(self, name: str) -> str:
        parts = name.split("/")
        if "\0" in name or any(part in ("", ".", "..") for part in parts):
            raise RefusedError("the name leads out of its place", subject=f"{self.location} {name}")
        path = os.path.join(self._root, *parts)
        above = os.path.dirname(path)
        if os.path.realpath(above) != above or os.path.islink(path):
            raise RefusedError(
                "a symbolic link leads elsewhere, and is not followed",
                subject=f"{self.location}/{name}",
                next_action="put a real folder or file in its place",
            )
        return path

    @contextmanager
    def _spoken(self, name: str) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, NotADirectoryError):
            raise
        except OSError as error:
            raise UnreachableError(
                f"cannot be read or written: {error.strerror or type(error).__name__}",
                subject=f"{self.location}/{name}",
                next_action="check the permissions and the space on the disk, then the same "
                "command again; what is done stays done",
            ) from error


def _is_ours(root: str) -> bool:
    """Whether a folder lies in records of ours."""
    return f"{os.sep}_holdfast{os.sep}" in f"{root}{os.sep}"


def _local(place: Place) -> LocalPlace:
    if not isinstance(place, LocalPlace):
        raise RefusedError("files cannot be moved to another store", subject=place.location)
    return place


def _mark(path: str, name: str, *, whole: bool = False) -> FileMark:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > DIGEST_BYTES_MAX and not whole:
            return FileMark(name=name, size_bytes=size, sha256=None)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileMark(name=name, size_bytes=size, sha256=digest)


def _make_folders(folder: str) -> None:
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    _make_folders(above)
    with suppress(FileExistsError):
        os.mkdir(folder)
    _sync(above)


def _sync(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
