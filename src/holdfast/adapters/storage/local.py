"""A folder on a local disk, read-only. Nothing outside it is ever opened."""

import errno
import os
import stat as stat_bits
from collections.abc import Mapping, Sequence
from pathlib import Path

from holdfast.adapters.storage.walking import Walk
from holdfast.core.fact import Content
from holdfast.core.limits import WALK_FILES_MAX
from holdfast.core.tree import Directory, Entries, FileStat, Oddity, Tree, make_tree
from holdfast.errors import HoldfastError, TooLargeError, UnreachableError, Why


class LocalStorage:
    """Implements core.ports.Storage with scandir."""

    reads_are_cheap = True

    def __init__(self, root: Path) -> None:
        """The root may itself be a symbolic link; nothing below it is followed."""
        self._root = os.path.realpath(root)
        self.location = Path(self._root).as_uri()
        self._real_directories: dict[str, bool] = {}

    def walk(self) -> Tree:
        """List every plain file below the root."""
        found: list[Directory] = []
        sizes: dict[str, int] = {}
        oddities: list[Oddity] = []
        entries = 0
        for path, scanned in Walk(self._root):
            if isinstance(scanned, OSError):
                if not path:
                    raise self._unreachable(scanned) from scanned
                oddities.append(Oddity(path, f"cannot be listed: {_reason(scanned)}"))
                continue
            found.append(Directory(path, scanned.names))
            sizes[path] = scanned.size_bytes
            prefix = f"{path}/" if path else ""
            oddities += [Oddity(prefix + name, reason) for name, reason in scanned.oddities]
            entries += len(scanned.names) + len(scanned.oddities) + 1
            if entries > WALK_FILES_MAX:
                message = f"more than {WALK_FILES_MAX:,} entries lie below this folder"
                raise TooLargeError(
                    message, subject=self.location, next_action="name a smaller folder"
                )
        return make_tree(self.location, found, sizes, oddities)

    def read(self, names: Sequence[str], limit_bytes: int) -> Mapping[str, Content]:
        """Read files whole; a file larger than the limit is not opened."""
        return {name: self._read_one(name, limit_bytes) for name in names}

    def stat(self, names: Sequence[str]) -> Mapping[str, FileStat]:
        """Size and time of last change of plain files."""
        result = {}
        for name in names:
            if self._leaves_root(name):
                continue
            try:
                status = os.lstat(os.path.join(self._root, name))
            except OSError:
                continue
            if stat_bits.S_ISREG(status.st_mode):
                result[name] = FileStat(
                    size_bytes=status.st_size,
                    modified_ms=status.st_mtime_ns // 1_000_000,
                    changed_ms=status.st_ctime_ns // 1_000_000,
                )
        return result

    def entries(self) -> Entries:
        """Names of the folders and plain files directly inside."""
        try:
            with os.scandir(self._root) as entries:
                found = [(e.name, e.is_dir(follow_symlinks=False)) for e in entries]
        except OSError as error:
            raise self._unreachable(error) from error
        return Entries(
            tuple(sorted(name for name, is_folder in found if is_folder)),
            tuple(sorted(name for name, is_folder in found if not is_folder)),
        )

    def at(self, name: str) -> "LocalStorage":
        """A folder inside this one."""
        if self._leaves_root(f"{name}/."):
            raise UnreachableError(
                "the folder leads out of its base",
                subject=name,
                next_action="name the folder it leads to",
            )
        return LocalStorage(Path(self._root, name))

    def _read_one(self, name: str, limit_bytes: int) -> Content:
        if self._leaves_root(name):
            return UnreachableError("the name leads out of the checkpoint", subject=name, why="odd")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            descriptor = os.open(os.path.join(self._root, name), flags)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            return UnreachableError(_reason(error), subject=name, why=_why(error))
        try:
            return _read_descriptor(descriptor, limit_bytes)
        except OSError as error:
            return UnreachableError(_reason(error), subject=name)
        finally:
            os.close(descriptor)

    def _leaves_root(self, name: str) -> bool:
        parts = name.split("/")
        if name.startswith("/") or ".." in parts or "\0" in name:
            return True
        directory = "/".join(parts[:-1])
        leaves = self._real_directories.get(directory)
        if leaves is None:
            path = os.path.join(self._root, directory) if directory else self._root
            real = os.path.realpath(path)
            leaves = real != path.rstrip("/") and not f"{real}/".startswith(
                f"{self._root.rstrip('/')}/"
            )
            self._real_directories[directory] = leaves
        return leaves

    def _unreachable(self, error: OSError) -> UnreachableError:
        action = "check the path"
        if isinstance(error, PermissionError):
            action = "ask for read permission, or run as a user who has it"
        return UnreachableError(
            _reason(error), subject=self.location, next_action=action, why=_why(error)
        )


def _read_descriptor(descriptor: int, limit_bytes: int) -> bytes | HoldfastError:
    status = os.fstat(descriptor)
    if not stat_bits.S_ISREG(status.st_mode):
        return UnreachableError("not a plain file", why="odd")
    if status.st_size > limit_bytes:
        return TooLargeError(f"{status.st_size:,} bytes, more than the {limit_bytes:,} read whole")
    chunks: list[bytes] = []
    remaining = limit_bytes
    # The file may grow while it is read; the limit holds for what is read, not for what it said.
    while remaining > 0 and (chunk := os.read(descriptor, min(remaining, 1 << 20))):
        chunks.append(chunk)
        remaining -= len(chunk)
    return b"".join(chunks)


def _why(error: OSError | ValueError) -> Why:
    if isinstance(error, PermissionError):
        return "forbidden"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "missing"
    # A link that is not followed, or a name that no file can have.
    is_odd = isinstance(error, ValueError) or error.errno in (errno.ELOOP, errno.ENXIO)
    return "odd" if is_odd else "unanswered"


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "a symbolic link, not followed"
    if isinstance(error, FileNotFoundError):
        return "there is nothing at this path"
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
