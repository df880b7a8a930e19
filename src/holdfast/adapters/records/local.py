"""Records on a local disk: a file appears whole under its name, or not at all.

A file is written under a temporary name in the same folder and made durable before it gets its
own name, by a hard link where it must be new and by a rename where it may replace another. A crash
leaves at most a temporary file, whose name begins with a dot; readers pass over those.
"""

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from holdfast.adapters.storage.local import LocalStorage
from holdfast.core.limits import FILE_BYTES_MAX
from holdfast.errors import HoldfastError, UnreachableError


class LocalRecords:
    """Implements core.running.ports.Records; folders come with the first file in them."""

    def __init__(self, root: Path) -> None:
        """The root may itself be a symbolic link, or not exist yet."""
        self._root = os.path.realpath(root)
        self._storage = LocalStorage(root)
        self.location = self._storage.location

    def create(self, name: str, data: bytes) -> bool:
        """Link a whole file to its name; exactly one of many can."""
        path = self._path(name)
        with self._spoken(name), _temporary(path, data) as temporary:
            try:
                os.link(temporary, path, follow_symlinks=False)
            except FileExistsError:
                # On NFS the answer to a link that was made can be lost, and the link be tried
                # again: open(2) tells to look whether both names mean one file.
                return os.path.exists(path) and os.path.samefile(temporary, path)
            _sync(os.path.dirname(path))
            return True

    def replace(self, name: str, data: bytes) -> None:
        """Rename a whole file over what was there."""
        path = self._path(name)
        with self._spoken(name), _temporary(path, data) as temporary:
            os.rename(temporary, path)
            _sync(os.path.dirname(path))

    def read(self, name: str) -> bytes | None:
        """The bytes of a plain file; links are not followed."""
        self._path(name)
        content = self._storage.read([name], FILE_BYTES_MAX)[name]
        if isinstance(content, HoldfastError):
            raise type(content)(
                content.message,
                subject=f"{self.location}/{name}",
                next_action=content.next_action or "check the file and its permissions",
            )
        return content

    def names(self, folder: str) -> Sequence[str]:
        """Names of the plain files in a folder, without temporary ones."""
        path = self._path(folder)
        with self._spoken(folder):
            try:
                with os.scandir(path) as entries:
                    found = [entry.name for entry in entries if entry.is_file()]
            except FileNotFoundError:
                return ()
        return tuple(sorted(name for name in found if not name.startswith(".")))

    def remove(self, name: str) -> None:
        """Unlink a file of ours."""
        path = self._path(name)
        with self._spoken(name), suppress(FileNotFoundError):
            os.unlink(path)

    def _path(self, name: str) -> str:
        refuse_name(name, self.location)
        return os.path.join(self._root, name)

    @contextmanager
    def _spoken(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            action = "check the path, the permissions and the space on the disk"
            raise UnreachableError(
                f"cannot be read or written: {error.strerror or type(error).__name__}",
                subject=f"{self.location}/{name}",
                next_action=action,
            ) from error


def refuse_name(name: str, location: str) -> None:
    """Refuse a name that leads out of the records, or that readers would pass over."""
    parts = name.split("/")
    if "\0" in name or any(part == "" or part.startswith(".") for part in parts):
        raise UnreachableError("the name leads out of the records", subject=f"{location}/ {name!r}")


@contextmanager
def _temporary(path: str, data: bytes) -> Iterator[str]:
    """A durable file with these bytes beside the path, gone afterwards."""
    folder, leaf = os.path.split(path)
    _make_folders(folder)
    temporary = os.path.join(folder, f".{leaf}.{uuid.uuid4().hex}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _make_folders(folder: str) -> None:
    """Make a folder and those above it, and each durable in the one above."""
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
