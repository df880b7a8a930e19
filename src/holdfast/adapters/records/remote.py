"""Records in an object store or on HDFS, through fsspec.

Object stores create by a conditional put. A library may send it twice when the first answer is
lost; the second is refused then although the object is ours. On S3 every object therefore carries a
token of its writer. HDFS has no conditional put that shows the file only when it is whole: there a
file is written beside its name and renamed to it, which fails where the name is taken.
"""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from holdfast.adapters.records.local import refuse_name
from holdfast.adapters.storage.remote import RemoteStorage, unreachable
from holdfast.errors import UnreachableError, UsageError

_TOKEN = "holdfast-token"
_RENAMES = frozenset({"hdfs", "viewfs"})
_MARKS = frozenset({"s3", "s3a"})


class RemoteRecords:
    """Implements core.running.ports.Records on an fsspec file system."""

    def __init__(self, location: str, file_system: Any, root: str) -> None:
        """`location` is what people see; `root` is the same place as fsspec spells it."""
        self.location = location
        self._fs = file_system
        self._root = root.rstrip("/")
        kind = file_system.protocol
        protocols = {kind} if isinstance(kind, str) else set(kind)
        self._renames = bool(protocols & _RENAMES)
        self._marks = bool(protocols & _MARKS)

    def create(self, name: str, data: bytes) -> bool:
        """Put an object on condition that there is none."""
        path = self._path(name)
        if self._renames:
            return self._create_by_rename(name, path, data)
        token = uuid.uuid4().hex
        marks = {"Metadata": {_TOKEN: token}} if self._marks else {}
        try:
            self._fs.pipe_file(path, data, mode="create", **marks)
        except FileExistsError:
            return self._is_ours(name, path, token)
        except Exception as error:
            # A refusal can look like anything: SeaweedFS says EINVAL, and S3 answers 409 where
            # two puts cross. What lies there now decides.
            if not self._is_there(name, path):
                raise self._unreachable(error, name) from error
            return self._is_ours(name, path, token)
        return True

    def replace(self, name: str, data: bytes) -> None:
        """Put an object; on HDFS rename a whole file over the old one."""
        path = self._path(name)
        try:
            if not self._renames:
                self._fs.pipe_file(path, data)
                return
            temporary = self._write_beside(path, data)
            self._fs.mv(temporary, path, overwrite=True)
        except Exception as error:
            raise self._unreachable(error, name) from error

    def read(self, name: str) -> bytes | None:
        """One request."""
        path = self._path(name)
        try:
            content: bytes = self._fs.cat_file(path)
        except (FileNotFoundError, IsADirectoryError):
            return None
        except Exception as error:
            raise self._unreachable(error, name) from error
        return content

    def names(self, folder: str) -> Sequence[str]:
        """One listing; temporary files and the marker of the folder itself are passed over."""
        path = self._path(folder)
        try:
            found = self._fs.ls(path, detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except Exception as error:
            raise self._unreachable(error, folder) from error
        prefix = f"{path.strip('/')}/"
        names = [
            str(entry["name"]).lstrip("/").removeprefix(prefix)
            for entry in found
            if entry.get("type") != "directory"
            and str(entry["name"]).lstrip("/").startswith(prefix)
        ]
        return tuple(sorted(n for n in names if n and "/" not in n and not n.startswith(".")))

    def remove(self, name: str) -> None:
        """One request."""
        path = self._path(name)
        try:
            self._fs.rm_file(path)
        except FileNotFoundError:
            return
        except Exception as error:
            raise self._unreachable(error, name) from error

    def _create_by_rename(self, name: str, path: str, data: bytes) -> bool:
        try:
            temporary = self._write_beside(path, data)
        except Exception as error:
            raise self._unreachable(error, name) from error
        try:
            self._fs.mv(temporary, path, overwrite=False)
        except Exception as error:
            # The answer may be lost: where the temporary file is gone, the rename was made.
            if not self._is_there(name, temporary):
                return True
            if not self._is_there(name, path):
                raise self._unreachable(error, name) from error
            with suppress(Exception):
                self._fs.rm_file(temporary)
            return False
        return True

    def _write_beside(self, path: str, data: bytes) -> str:
        folder, _, leaf = path.rpartition("/")
        temporary = f"{folder}/.{leaf}.{uuid.uuid4().hex}.tmp"
        with self._fs.open(temporary, "wb", overwrite=False) as file:
            file.write(data)
        return temporary

    def _is_there(self, name: str, path: str) -> bool:
        try:
            self._fs.info(path)
        except FileNotFoundError:
            return False
        except Exception as error:
            raise self._unreachable(error, name) from error
        return True

    def _is_ours(self, name: str, path: str, token: str) -> bool:
        """Whether what lies at a name that was refused carries our token."""
        if not self._marks:
            return False
        try:
            found = self._fs.metadata(path, refresh=True)
        except FileNotFoundError:
            return False
        except Exception as error:
            raise self._unreachable(error, name) from error
        return bool(found.get(_TOKEN) == token)

    def _path(self, name: str) -> str:
        refuse_name(name, self.location)
        return f"{self._root}/{name}"

    def _unreachable(self, error: BaseException, name: str) -> UnreachableError:
        said = unreachable(error, f"{self.location}/{name}")
        return UnreachableError(said.message, subject=said.subject, next_action=said.next_action)


def records_beside(storage: RemoteStorage) -> RemoteRecords:
    """The records of the checkpoint that a storage reads."""
    above, name = split_storage(storage)
    if not name:
        raise UsageError(
            "a checkpoint needs a folder above it for Holdfast's records",
            subject=storage.location,
            next_action="name a folder inside this one",
        )
    location = f"{above.location}/_holdfast/{name}"
    return RemoteRecords(location, storage._fs, f"{above._root}/_holdfast/{name}")


def split_storage(storage: RemoteStorage) -> tuple[RemoteStorage, str]:
    """The folder above a storage, and its own name in it; an empty one where nothing is above."""
    above, _, name = storage._root.rpartition("/")
    shown_above, _, _ = storage.location.rstrip("/").rpartition("/")
    if shown_above.endswith(":/"):
        name = ""
    return RemoteStorage(shown_above, storage._fs, above), name
