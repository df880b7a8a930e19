"""HDFS through hdfs-native, which needs no Java and no libhdfs.

Not through its fsspec class: that one cuts names at `?`, `#` and `;`, takes no `use_listings_cache`
and leaves out in silence what it may not list.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hdfs_native import Client

from holdfast.adapters.storage.remote import UNLISTED, RemoteStorage, unreachable

_PATIENCE = {
    # A person waits: unless told, a name node that is not there is tried for three minutes.
    "dfs.client.failover.max.attempts": "4",
    "dfs.client.failover.sleep.max.millis": "1000",
}
_READERS = 16


class HdfsFiles:
    """What RemoteStorage asks of a file system, and nothing that writes."""

    def __init__(self, client: Client) -> None:
        """Settings of the cluster come from HADOOP_CONF_DIR or HADOOP_HOME."""
        self._client = client

    def find(self, path: str, *, detail: bool, withdirs: bool) -> dict[str, dict[str, Any]]:
        """Every file below a folder; a folder inside that may not be listed is said to be so."""
        found: dict[str, dict[str, Any]] = {}
        waiting = [path]
        while waiting:
            folder = waiting.pop()
            try:
                entries = self.ls(folder, detail=detail)
            except (PermissionError, FileNotFoundError) as error:
                if folder == path:
                    raise
                found[folder] = {"type": UNLISTED, "reason": type(error).__name__}
                continue
            for entry in entries:
                if entry["type"] == "directory":
                    waiting.append(entry["name"])
                else:
                    found[entry["name"]] = entry
        return found

    def ls(self, path: str, *, detail: bool) -> list[dict[str, Any]]:
        """What lies directly inside a folder."""
        return list(_answers(self._client.list_status(path or "/", False)))

    def info(self, path: str) -> dict[str, Any]:
        """One file or folder."""
        try:
            return _info(self._client.get_file_info(path))
        except RuntimeError as error:
            raise _known(error) from error

    def cat_ranges(
        self, paths: list[str], starts: None, ends: None, on_error: str
    ) -> list[bytes | Exception]:
        """Files whole, several at once."""
        with ThreadPoolExecutor(max_workers=_READERS) as pool:
            return list(pool.map(self._read, paths))

    def _read(self, path: str) -> bytes | Exception:
        try:
            with self._client.read(path) as reader:
                return bytes(reader.read())
        except Exception as error:  # noqa: BLE001 - an answer of its own for each file
            return _known(error)


def open_remote(location: str, url: str) -> RemoteStorage:
    """Open a folder by URL; `hdfs:///path` is on the cluster that is the default."""
    authority, _, path = url.partition("://")[2].partition("/")
    try:
        client = Client(f"hdfs://{authority}", _PATIENCE)
    except Exception as error:
        raise unreachable(error, location) from error
    return RemoteStorage(location, HdfsFiles(client), f"/{path}")


def _answers(entries: Any) -> Iterator[dict[str, Any]]:
    try:
        for entry in entries:
            yield _info(entry)
    except RuntimeError as error:
        raise _known(error) from error


def _info(entry: Any) -> dict[str, Any]:
    return {
        "name": entry.path,
        "size": entry.length,
        "type": "directory" if entry.isdir else "file",
        "modification_time": entry.modification_time,
    }


def _known(error: Exception) -> Exception:
    """The library has one RuntimeError for all that a name node refuses."""
    return PermissionError(str(error)) if "AccessControlException" in str(error) else error
