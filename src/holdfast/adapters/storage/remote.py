"""A folder in an object store or on HDFS, through fsspec, read-only.

One flat listing answers every question about names, sizes and times; reads go out together.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fsspec import get_filesystem_class

from holdfast.core.fact import Content
from holdfast.core.limits import WALK_FILES_MAX
from holdfast.core.tree import Directory, Entries, FileStat, Oddity, Tree, make_tree
from holdfast.errors import HoldfastError, TooLargeError, UnreachableError

_CREDENTIALS = "check the credentials and the region (the usual variables of the store's own tools)"

_OPTIONS: dict[str, dict[str, Any]] = {
    # A person waits: give up on a silent store in seconds, and not in the minutes of the default.
    "s3": {
        "config_kwargs": {
            "connect_timeout": 4,
            "read_timeout": 10,
            "retries": {"mode": "standard", "total_max_attempts": 2},
        },
        # With more, s3fs asks for the size of each object before it reads it: twice the requests.
        "max_concurrency": 1,
    },
}
UNLISTED = "unlisted"
"""What `find` gives as the type of a folder that it could not list, with a reason."""

_REFUSED = ("401", "403")
_S3_RETRIES = 2
"""s3fs tries again on top of botocore, five times unless told."""


@dataclass(slots=True)
class _Listed:
    """The files directly inside one folder, by column: an object per file would not fit."""

    names: list[str] = field(default_factory=list)
    sizes: "array[int]" = field(default_factory=lambda: array("q"))
    times_ms: "array[int]" = field(default_factory=lambda: array("q"))
    _places: dict[str, int] = field(default_factory=dict)

    def add(self, leaf: str, info: Mapping[str, Any]) -> None:
        self.names.append(leaf)
        self.sizes.append(int(info.get("size") or 0))
        self.times_ms.append(_modified_ms(info))

    def stat(self, leaf: str) -> FileStat | None:
        if not self._places:
            self._places = {name: place for place, name in enumerate(self.names)}
        place = self._places.get(leaf)
        if place is None:
            return None
        return FileStat(size_bytes=self.sizes[place], modified_ms=self.times_ms[place])


class RemoteStorage:
    """Implements core.ports.Storage on an fsspec file system."""

    reads_are_cheap = False

    def __init__(self, location: str, file_system: Any, root: str) -> None:
        """`location` is what people see; `root` is the same place as fsspec spells it."""
        self.location = location
        self._fs = file_system
        self._root = root.rstrip("/")
        self._listed: dict[str, _Listed] | None = None
        self._inside = _Listed()

    def walk(self) -> Tree:
        """List every object below the root; the listing also answers stat."""
        try:
            found = self._fs.find(self._root, detail=True, withdirs=False)
        except Exception as error:
            raise unreachable(error, self.location) from error
        if len(found) > WALK_FILES_MAX:
            message = f"more than {WALK_FILES_MAX:,} objects lie below this folder"
            raise TooLargeError(message, subject=self.location, next_action="name a smaller folder")
        listed: dict[str, _Listed] = {}
        oddities: list[Oddity] = []
        for path, info in found.items():
            name = self._relative(path)
            if not name or name.endswith("/") or info.get("type") == "directory":
                continue  # a marker that some tools put in place of a directory
            if info.get("type") == UNLISTED:
                oddities.append(Oddity(name, f"cannot be listed: {info['reason']}"))
                continue
            if _could_not_be_a_path(name):
                oddities.append(Oddity(name, "a name that could not be a path"))
                continue
            directory, _, leaf = name.rpartition("/")
            listed.setdefault(directory, _Listed()).add(leaf, info)
        self._listed = listed
        directories = [Directory(path, files.names) for path, files in listed.items()]
        sizes = {path: sum(files.sizes) for path, files in listed.items()}
        return make_tree(self.location, directories, sizes, oddities)

    def read(self, names: Sequence[str], limit_bytes: int) -> Mapping[str, Content]:
        """Read objects whole, all at once; sizes come from the listing where there was one."""
        result: dict[str, Content] = {}
        wanted: list[str] = []
        for name in names:
            if _could_not_be_a_path(name):
                text = "the name leads out of the checkpoint"
                result[name] = UnreachableError(text, subject=name)
                continue
            try:
                known = self._stat(name)
            except HoldfastError as error:
                result[name] = error
                continue
            if known is None:
                result[name] = None
            elif known.size_bytes > limit_bytes:
                text = f"{known.size_bytes:,} bytes, more than the {limit_bytes:,} read whole"
                result[name] = TooLargeError(text, subject=name)
            else:
                wanted.append(name)
        result.update(self._fetch(wanted))
        return result

    def stat(self, names: Sequence[str]) -> Mapping[str, FileStat]:
        """Answered from the listing where there was one."""
        result: dict[str, FileStat] = {}
        for name in names:
            try:
                found = None if _could_not_be_a_path(name) else self._stat(name)
            except HoldfastError:
                continue
            if found is not None:
                result[name] = found
        return result

    def entries(self) -> Entries:
        """One listing with a delimiter; it also answers stat for the files in it."""
        try:
            found = self._fs.ls(self._root, detail=True)
        except Exception as error:
            raise unreachable(error, self.location) from error
        folders: list[str] = []
        inside = _Listed()
        for entry in found:
            name = self._relative(str(entry["name"])).strip("/")
            if name and "/" not in name:
                if entry.get("type") == "directory":
                    folders.append(name)
                else:
                    inside.add(name, entry)
        self._inside = inside
        return Entries(tuple(sorted(folders)), tuple(sorted(inside.names)))

    def at(self, name: str) -> "RemoteStorage":
        """A folder inside this one."""
        if _could_not_be_a_path(name):
            raise UnreachableError("the folder leads out of its base", subject=name)
        location = f"{self.location.rstrip('/')}/{name}"
        return RemoteStorage(location, self._fs, f"{self._root}/{name}")

    def _stat(self, name: str) -> FileStat | None:
        if self._listed is not None:
            directory, _, leaf = name.rpartition("/")
            files = self._listed.get(directory)
            return files.stat(leaf) if files else None
        known = self._inside.stat(name)
        if known is not None:
            return known
        try:
            info = self._fs.info(f"{self._root}/{name}")
        except FileNotFoundError:
            return None
        except Exception as error:
            raise unreachable(error, self.location) from error
        if info.get("type") == "directory":
            return None
        return FileStat(size_bytes=int(info.get("size") or 0), modified_ms=_modified_ms(info))

    def _fetch(self, names: list[str]) -> dict[str, Content]:
        if not names:
            return {}
        try:
            # Not `cat`: that takes `?`, `*` and `[` in a name for a pattern.
            answers = self._fs.cat_ranges(
                [f"{self._root}/{name}" for name in names], None, None, on_error="return"
            )
        except Exception as error:  # noqa: BLE001 - each library has its own; all mean: no answer
            failure = unreachable(error, self.location)
            return dict.fromkeys(names, failure)
        return {name: _content(each, name) for name, each in zip(names, answers, strict=True)}

    def _relative(self, path: str) -> str:
        clean, root = path.lstrip("/"), f"{self._root}/".lstrip("/")
        return clean[len(root) :] if clean.startswith(root) else ""


def open_remote(location: str, url: str) -> RemoteStorage:
    """Open a folder by the URL that fsspec understands; `location` is the one to show."""
    protocol = url.partition("://")[0]
    try:
        kind = get_filesystem_class(protocol)
    except Exception as error:
        raise unreachable(error, location) from error
    file_system, root = open_kind(kind, location, url, _OPTIONS.get(protocol, {}))
    if protocol == "s3":
        file_system.retries = _S3_RETRIES
    return RemoteStorage(location, file_system, root)


def open_kind(
    kind: Any, location: str, url: str, options: Mapping[str, Any] | None = None
) -> tuple[Any, str]:
    """A file system of this class of fsspec, and the folder as it spells it."""
    try:
        # Not `url_to_fs`: that takes `::` in a name for a chain of file systems.
        known = {**(options or {}), **kind._get_kwargs_from_urls(url)}
        return kind(use_listings_cache=False, **known), kind._strip_protocol(url)
    except Exception as error:
        raise unreachable(error, location) from error


def unreachable(error: BaseException, location: str) -> HoldfastError:
    """Say in our words why a store gave no answer; no credentials in it."""
    name = type(error).__name__
    if isinstance(error, FileNotFoundError):
        return UnreachableError(
            "there is nothing at this location",
            subject=location,
            next_action="check the location",
            why="missing",
        )
    if _is_refusal(error):
        return UnreachableError(
            "the store refused access",
            subject=location,
            next_action=_CREDENTIALS,
            why="forbidden",
        )
    return UnreachableError(
        f"the store gave no answer ({name})",
        subject=location,
        next_action="check the address, the network and the credentials",
    )


def _is_refusal(error: BaseException) -> bool:
    """Each library has its own way: a class, a status, or nothing but a sentence (gcsfs)."""
    name = type(error).__name__
    if isinstance(error, PermissionError) or "Credential" in name or "Auth" in name:
        return True
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    return str(status) in _REFUSED or str(error).startswith("Forbidden")


def _could_not_be_a_path(name: str) -> bool:
    return name.startswith("/") or "//" in name or "\0" in name or ".." in name.split("/")


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
