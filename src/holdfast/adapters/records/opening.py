"""From a checkpoint's location to the records beside it: `<parent>/_holdfast/<name>/`."""

import importlib
import os
from pathlib import Path

from holdfast.adapters.records.local import LocalRecords
from holdfast.adapters.storage.opening import local_path, open_storage
from holdfast.core.running.ports import Records
from holdfast.errors import UsageError


def open_records(checkpoint_location: str) -> Records:
    """Open the records of a checkpoint, by path or URL; neither need exist yet.

    Every path that leads to one checkpoint leads to the same records: symbolic links are resolved.
    """
    path = local_path(checkpoint_location)
    if path is not None:
        return LocalRecords(records_path(path, checkpoint_location))
    storage = open_storage(checkpoint_location)
    remote = importlib.import_module("holdfast.adapters.records.remote")
    records: Records = remote.records_beside(storage)
    return records


def records_path(path: Path, location: str) -> Path:
    """The folder of the records of a local checkpoint."""
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
