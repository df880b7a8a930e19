"""From a checkpoint's location to the records beside it: `<parent>/_holdfast/<name>/`."""

import importlib
import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from holdfast.adapters.records.local import LocalRecords
from holdfast.adapters.storage.opening import open_storage
from holdfast.core.running.ports import Records
from holdfast.errors import UsageError


def open_records(checkpoint_location: str) -> Records:
    """Open the records of a checkpoint, by path or URL; neither need exist yet.

    Every path that leads to one checkpoint leads to the same records: symbolic links are resolved.
    """
    path = _local_path(checkpoint_location)
    if path is not None:
        return LocalRecords(_beside(path, checkpoint_location))
    storage = open_storage(checkpoint_location)
    remote = importlib.import_module("holdfast.adapters.records.remote")
    records: Records = remote.records_beside(storage)
    return records


def _beside(path: Path, location: str) -> Path:
    try:
        real = Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise UsageError("not a path", subject=location, next_action="check the path") from error
    if not real.name:
        raise UsageError(
            "a checkpoint needs a folder above it for Holdfast's records",
            subject=location,
            next_action="name a folder inside this one",
        )
    return real.parent / "_holdfast" / real.name


def _local_path(location: str) -> Path | None:
    """The path that a location names, None where it is a URL of a store."""
    if "\0" in location or not location.strip():
        raise UsageError("a location cannot be empty", next_action="name a folder or a URL")
    scheme, separator, _ = location.partition("://")
    if separator:
        return Path(unquote(urlsplit(location).path)) if scheme == "file" else None
    if location.startswith("file:/"):
        return Path(unquote(location[len("file:") :]))
    return Path(location)
