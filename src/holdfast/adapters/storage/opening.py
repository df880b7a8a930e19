"""From a location to a storage: a path, or a URL whose library is loaded only when asked for."""

import importlib
import os
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

from holdfast.adapters.storage.local import LocalStorage
from holdfast.core.ports import Storage
from holdfast.errors import NotInstalledError, UnreachableError, UsageError

_SCHEMES: dict[str, tuple[str, str, str]] = {
    # what Hadoop calls it: (what fsspec calls it, library, extra)
    "s3": ("s3", "s3fs", "s3"),
    "s3a": ("s3", "s3fs", "s3"),
    "s3n": ("s3", "s3fs", "s3"),
    "gs": ("gs", "gcsfs", "gcs"),
    "gcs": ("gs", "gcsfs", "gcs"),
    "abfs": ("abfs", "adlfs", "azure"),
    "abfss": ("abfs", "adlfs", "azure"),
    "wasb": ("abfs", "adlfs", "azure"),
    "wasbs": ("abfs", "adlfs", "azure"),
    "hdfs": ("hdfs", "hdfs_native", "hdfs"),
    "memory": ("memory", "fsspec", ""),
}
_OPENERS = {
    # Of what fsspec alone would open wrongly or not at all; each loads its library by itself.
    "gs": "holdfast.adapters.storage.gcs",
    "abfs": "holdfast.adapters.storage.azure",
    "hdfs": "holdfast.adapters.storage.hdfs",
}


def open_storage(location: str) -> Storage:
    """Open a folder for reading, by path or URL."""
    path = local_path(location)
    if path is not None:
        return _open_local(path, location)
    scheme = location.partition("://")[0]
    if scheme not in _SCHEMES:
        known = ", ".join(sorted(_SCHEMES))
        raise UsageError(
            f"no store is known for {scheme}://",
            subject=location,
            next_action=f"use one of {known}",
        )
    if _holds_password(location):
        raise UsageError(
            "credentials do not belong in a location, where logs and histories keep them",
            subject=shown(location),
            next_action="set them as the store's own tools take them (variables or files)",
        )
    return _open_remote(location, scheme)


def local_path(location: str) -> Path | None:
    """The path that a location names, None where it is a URL of a store."""
    if "\0" in location or not location.strip():
        raise UsageError("a location cannot be empty", next_action="name a folder or a URL")
    scheme, separator, _ = location.partition("://")
    if separator:
        return Path(unquote(urlsplit(location).path)) if scheme == "file" else None
    if location.startswith("file:/"):
        return Path(unquote(location[len("file:") :]))
    return Path(location)


def _open_local(path: Path, location: str) -> Storage:
    try:
        # Not Path.is_dir and exists: they say False where there is no permission to look.
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UnreachableError(
            "there is nothing at this path",
            subject=location,
            next_action="check the path",
            why="missing",
        ) from error
    except OSError as error:
        raise UnreachableError(
            f"cannot be looked at: {error.strerror}",
            subject=location,
            next_action="check the path",
            why="forbidden" if isinstance(error, PermissionError) else "unanswered",
        ) from error
    if not stat.S_ISDIR(status.st_mode):
        raise UsageError(
            "this is a file, not a folder",
            subject=location,
            next_action="name the checkpoint's folder",
        )
    return LocalStorage(path)


def _open_remote(location: str, scheme: str) -> Storage:
    name, library, extra = _SCHEMES[scheme]
    try:
        importlib.import_module(library)
        remote = importlib.import_module(_OPENERS.get(name, "holdfast.adapters.storage.remote"))
    except ImportError as error:
        raise NotInstalledError(
            f"reading {scheme}:// needs the library {library}",
            subject=shown(location),
            next_action=f"pip install 'holdfast[{extra}]'",
        ) from error
    url = f"{name}://{location.partition('://')[2]}"
    storage: Storage = remote.open_remote(shown(location), url.rstrip("/"))
    return storage


def _holds_password(location: str) -> bool:
    authority = location.partition("://")[2].partition("/")[0]
    return ":" in authority.rpartition("@")[0]


def shown(location: str) -> str:
    """The location without user, password, query and fragment: they may hold secrets."""
    scheme, separator, rest = location.partition("://")
    if not separator:
        return location
    authority, slash, path = rest.partition("/")
    # In abfs the part before @ is the container, which is a name and not a secret.
    if scheme not in ("abfs", "abfss", "wasb", "wasbs"):
        authority = authority.rpartition("@")[2]
    path = path.partition("?")[0].partition("#")[0]
    return f"{scheme}://{authority}{slash}{path}".rstrip("/")
