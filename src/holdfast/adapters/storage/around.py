"""Folders around a checkpoint: those above it, and the one that holds Holdfast's records."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from holdfast.adapters.storage.local import LocalStorage
from holdfast.adapters.storage.opening import local_path, open_storage
from holdfast.core.ports import Storage

RECORDS = "_holdfast"


def folders_above(location: str, most: int) -> tuple[tuple[Storage, str], ...]:
    """Folders above a location, the nearest first, each with the next name on the way back down.

    Nothing is looked at yet, and none of them need exist. Symbolic links are resolved.
    """
    return tuple(islice(_above(location), most))


def records_folder(location: str) -> tuple[Storage, str] | None:
    """The folder with the records of all checkpoints beside this one, and the name of its own."""
    path = local_path(location)
    if path is not None:
        # Where records are written: beside the real folder, whatever links lead to it.
        real = Path(os.path.realpath(path))
        return LocalStorage(real.parent / RECORDS), real.name
    above = next(_above(location), None)
    if above is None:
        return None
    folder, name = above
    return folder.at(RECORDS), name


def _above(location: str) -> Iterator[tuple[Storage, str]]:
    path = local_path(location)
    if path is not None:
        real = Path(os.path.realpath(path))
        for child, folder in zip([real, *real.parents], real.parents, strict=False):
            yield LocalStorage(folder), child.name
        return
    scheme, _, rest = location.partition("://")
    authority, _, folders = rest.partition("/")
    parts = [part for part in folders.split("/") if part]
    for end in range(len(parts) - 1, -1, -1):
        yield open_storage(f"{scheme}://{authority}/{'/'.join(parts[:end])}"), parts[end]
