"""A folder in an object store or on HDFS, through fsspec, read-only.

One flat listing answers every question about names, sizes and times; reads go out together.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from fsspec.core import url_to_fs

from holdfast.core.fact import Content
from holdfast.core.limits import WALK_FILES_MAX
from holdfast.core.tree import Directory, Entries, FileStat, Oddity, Tree, make_tree
from holdfast.errors import HoldfastError, TooLargeError, UnreachableError

_CREDENTIALS = "check the credentials and the region (the usual variables of the store's own tools)"


class RemoteStorage:
    """Implements core.ports.Storage on an fsspec file system."""

    reads_are_cheap = False

    def __init__(self, location: str, file_system: Any, root: str) -> None:
        """`location` is what people see; `root` is the same place as fsspec spells it."""
        self.location = location
        self._fs = file_system
        self._root = root.rstrip("/")
        self._stats: dict[str, FileStat] = {}

    def walk(self) -> Tree:
        """List every object below the root; the listing also answers stat."""
        try:
            found = self._fs.find(self._root, detail=True, withdirs=False)
        except Exception as error:
            raise unreachable(error, self.location) from error
        if len(found) > WALK_FILES_MAX:
            message = f"more than {WALK_FILES_MAX:,} objects lie below this folder"
            raise TooLargeError(message, subject=self.location, next_action="name a smaller folder")
        names: dict[str, list[str]] = {}
        sizes: dict[str, int] = {}
        oddities: list[Oddity] = []
        for path, info in found.items():
            name = self._relative(path)
            if not name or name.endswith("/") or info.get("type") == "directory":
                continue  # a marker that some tools put in place of a directory
            if ".." in name.split("/") or "//" in name:
                oddities.append(Oddity(name, "a name that could not be a path"))
                continue
            directory, _, leaf = name.rpartition("/")
            size = int(info.get("size") or 0)
            names.setdefault(directory, []).append(leaf)
            sizes[directory] = sizes.get(directory, 0) + size
            self._stats[name] = FileStat(size_bytes=size, modified_ms=_modified_ms(info))
        directories = [Directory(path, leaves, sizes[path]) for path, leaves in names.items()]
        return make_tree(self.location, directories, oddities)

    def read(self, names: Sequence[str], limit_bytes: int) -> Mapping[str, Content]:
        """Read objects whole, all at once; sizes come from the listing where there was one."""
        result: dict[str, Content] = {}
        wanted: list[str] = []
        for name in names:
            known = self._stats.get(name)
            if self._stats and known is None:
                result[name] = None
            elif known and known.size_bytes > limit_bytes:
                text = f"{known.size_bytes:,} bytes, more than the {limit_bytes:,} read whole"
                result[name] = TooLargeError(text, subject=name)
            else:
                wanted.append(name)
        result.update(self._fetch(wanted))
        return result

    def stat(self, names: Sequence[str]) -> Mapping[str, FileStat]:
        """Answered from the listing."""
        return {name: self._stats[name] for name in names if name in self._stats}

    def entries(self) -> Entries:
        """One listing with a delimiter."""
        try:
            found = self._fs.ls(self._root, detail=True)
        except Exception as error:
            raise unreachable(error, self.location) from error
        folders: list[str] = []
        files: list[str] = []
        for entry in found:
            name = self._relative(str(entry["name"])).strip("/")
            if name and "/" not in name:
                (folders if entry.get("type") == "directory" else files).append(name)
        return Entries(tuple(sorted(folders)), tuple(sorted(files)))

    def at(self, name: str) -> "RemoteStorage":
        """A folder inside this one."""
        location = f"{self.location.rstrip('/')}/{name}"
        return RemoteStorage(location, self._fs, f"{self._root}/{name}")

    def _fetch(self, names: list[str]) -> dict[str, Content]:
        if not names:
            return {}
        paths = {f"{self._root}/{name}": name for name in names}
        try:
            answers = self._fs.cat(list(paths), on_error="return")
        except Exception as error:  # noqa: BLE001 - each library has its own; all mean: no answer
            failure = unreachable(error, self.location)
            return dict.fromkeys(names, failure)
        if isinstance(answers, bytes):
            answers = {next(iter(paths)): answers}
        by_path = {str(path).lstrip("/"): answer for path, answer in answers.items()}
        return {name: _content(by_path.get(path.lstrip("/")), name) for path, name in paths.items()}

    def _relative(self, path: str) -> str:
        clean, root = path.lstrip("/"), self._root.lstrip("/")
        return clean[len(root) :].lstrip("/") if clean.startswith(root) else clean


def open_remote(location: str, url: str) -> RemoteStorage:
    """Open a folder by the URL that fsspec understands; `location` is the one to show."""
    try:
        file_system, root = url_to_fs(url, use_listings_cache=False)
    except Exception as error:
        raise unreachable(error, location) from error
    return RemoteStorage(location, file_system, root)


def unreachable(error: BaseException, location: str) -> HoldfastError:
    """Say in our words why a store gave no answer; no credentials in it."""
    name = type(error).__name__
    if isinstance(error, FileNotFoundError):
        return UnreachableError(
            "there is nothing at this location", subject=location, next_action="check the location"
        )
    if isinstance(error, PermissionError) or "Credentials" in name or "Auth" in name:
        return UnreachableError(
            "the store refused access", subject=location, next_action=_CREDENTIALS
        )
    return UnreachableError(
        f"the store gave no answer ({name})",
        subject=location,
        next_action="check the address, the network and the credentials",
    )


def _content(answer: object, name: str) -> Content:
    if isinstance(answer, bytes):
        return answer
    if answer is None or isinstance(answer, FileNotFoundError):
        return None
    if isinstance(answer, BaseException):
        return UnreachableError(f"could not be read ({type(answer).__name__})", subject=name)
    return UnreachableError("could not be read", subject=name)


def _modified_ms(info: Mapping[str, Any]) -> int:
    for key in ("LastModified", "last_modified", "mtime", "updated", "modification_time"):
        value = info.get(key)
        if isinstance(value, datetime):
            return int(value.timestamp() * 1000)
        if isinstance(value, int | float):
            return int(value if value > 1e11 else value * 1000)
        if isinstance(value, str):
            try:
                return int(datetime.fromisoformat(value).timestamp() * 1000)
            except ValueError:
                continue
    return 0
