"""A folder in an object store or on HDFS whose files may be moved, through fsspec.

An object store knows no rename: a file is copied and the old one then removed, and only where the
copy was read back with the same bytes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.adapters.records.remote import RemoteRecords, split_storage
from holdfast.adapters.storage.remote import RemoteStorage, unreachable
from holdfast.core.limits import DIGEST_BYTES_MAX
from holdfast.core.plans.ports import Place
from holdfast.core.plans.step import FileMark
from holdfast.errors import HoldfastError, RefusedError

ARCHIVE = "archive"


class RemotePlace:
    """Implements core.plans.ports.Place on an fsspec file system."""

    def __init__(self, location: str, file_system: Any, root: str) -> None:
        """`location` is what people see; `root` is the same place as fsspec spells it."""
        self.location = location
        self._fs = file_system
        self._root = root.rstrip("/")

    def marks(self, names: Sequence[str]) -> Mapping[str, FileMark]:
        """One request for each file."""
        found = {}
        for name in names:
            mark = self._mark(name)
            if mark is not None:
                found[name] = mark
        return found

    def create(self, name: str, data: bytes) -> None:
        """A conditional put, as our records make it."""
        folder, _, leaf = self._path(name).rpartition("/")
        _, _, shown = f"{self.location}/{name}".rpartition("/")
        records = RemoteRecords(f"{self.location}", self._fs, folder)
        if leaf.startswith("."):
            self._fs.pipe_file(f"{folder}/{leaf}", data)
        elif not records.create(leaf, data) and self._read(name) != data:
            raise RefusedError(
                "other bytes lie where this file is to go",
                subject=f"{self.location}/{shown}",
                next_action="find out who wrote them; nothing was overwritten",
            )

    def move(self, names: Sequence[str], to: Place) -> None:
        """Copy, read back, remove."""
        if not isinstance(to, RemotePlace) or to._fs is not self._fs:
            raise RefusedError("files cannot be moved to another store", subject=to.location)
        for name in names:
            here = self._mark(name)
            if here is None:
                continue
            there = to._mark(name)
            if there is None:
                self._call(name, self._fs.copy, self._path(name), to._path(name))
                there = to._mark(name)
            if there != here:
                raise RefusedError(
                    "what arrived there are other bytes", subject=f"{to.location}/{name}"
                )
            self._call(name, self._fs.rm_file, self._path(name))

    def copy(self, names: Sequence[str], to: Place) -> None:
        """Inside a store by the store itself, else through memory."""
        for name in names:
            to.create(name, self._read(name))

    def archive(self, operation: str) -> Place:
        """Beside the folder, in our records."""
        storage = RemoteStorage(self.location, self._fs, self._root)
        if "/_holdfast/" in f"{self._root}/":
            inside = f"{ARCHIVE}/{operation}/records"
            return RemotePlace(f"{self.location}/{inside}", self._fs, f"{self._root}/{inside}")
        above, name = split_storage(storage)
        inside = f"_holdfast/{name}/{ARCHIVE}/{operation}/checkpoint"
        return RemotePlace(f"{above.location}/{inside}", self._fs, f"{above._root}/{inside}")

    def _mark(self, name: str) -> FileMark | None:
        path = self._path(name)
        try:
            size = int(self._fs.info(path, refresh=True)["size"])
            if size > DIGEST_BYTES_MAX:
                return FileMark(name=name, size_bytes=size, sha256=None)
            data = self._fs.cat_file(path)
        except (FileNotFoundError, IsADirectoryError):
            return None
        except Exception as error:
            raise self._unreachable(error, name) from error
        return FileMark(name=name, size_bytes=size, sha256=hashlib.sha256(data).hexdigest())

    def _read(self, name: str) -> bytes:
        data: bytes = self._call(name, self._fs.cat_file, self._path(name))
        return data

    def _call(self, name: str, call: Any, *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except Exception as error:
            raise self._unreachable(error, name) from error

    def _path(self, name: str) -> str:
        if "\0" in name or any(part in ("", ".", "..") for part in name.split("/")):
            raise RefusedError("the name leads out of its place", subject=f"{self.location} {name}")
        return f"{self._root}/{name}"

    def _unreachable(self, error: BaseException, name: str) -> HoldfastError:
        return unreachable(error, f"{self.location}/{name}")


def place_of(storage: RemoteStorage) -> RemotePlace:
    """The place that a storage reads."""
    return RemotePlace(storage.location, storage._fs, storage._root)
