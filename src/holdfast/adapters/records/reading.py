"""Holdfast's records beside a checkpoint that is being read: read-only, never past a limit."""

import importlib
import os
from collections.abc import Sequence
from pathlib import Path

from holdfast.adapters.storage.local import LocalStorage
from holdfast.core.limits import RECORD_BYTES_MAX
from holdfast.core.ports import Storage
from holdfast.errors import HoldfastError, UnreachableError

FOLDER = "_holdfast"


class RecordsReader:
    """Names and bytes of the records of one checkpoint; nothing can be written through it."""

    def __init__(self, above: Storage, name: str) -> None:
        """`above` is the folder in which checkpoint and records lie; `name` the checkpoint's."""
        self._above = above
        self._prefix = f"{FOLDER}/{name}"
        self._opened: dict[str, Storage] = {}

    def names(self, folder: str) -> Sequence[str]:
        """Names of the files directly inside a folder, empty where there is none; one listing."""
        storage = self._folder(folder)
        try:
            names = storage.entries().files
        except UnreachableError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return ()
            raise
        return sorted(name for name in names if not name.startswith("."))

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, None where there is none."""
        folder, _, leaf = name.rpartition("/")
        content = self._folder(folder).read([leaf], RECORD_BYTES_MAX)[leaf]
        if isinstance(content, HoldfastError):
            raise content
        return content

    def _folder(self, folder: str) -> Storage:
        if folder not in self._opened:
            self._opened[folder] = self._above.at(f"{self._prefix}/{folder}")
        return self._opened[folder]


def reader_beside(storage: Storage, folder: str) -> RecordsReader | None:
    """The records of the checkpoint that a storage reads, None where none can be there.

    On a disk it is looked, at next to no cost, whether there is such a folder of them.
    """
    if isinstance(storage, LocalStorage):
        path = Path(storage._root)
        if not os.path.isdir(path.parent / FOLDER / path.name / folder):
            return None
        return RecordsReader(LocalStorage(path.parent), path.name)
    remote = importlib.import_module("holdfast.adapters.records.remote")
    above, name = remote.split_storage(storage)
    return RecordsReader(above, name) if name else None
