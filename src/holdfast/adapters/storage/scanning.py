"""Look at directories: names, sizes, and what is no plain file.

Also a program of its own, with the standard library alone: directories come on standard input as
they are found, each ended by NUL; once there are no more, what was found goes to standard output.
To ask the size of 250,000 files takes a second in one process, and threads cannot share that work
under the GIL; a second process can.
"""

import os
import stat
import sys
from collections.abc import Iterator

_PIPE_BYTES = 65_536

_KINDS = (
    (stat.S_ISLNK, "a symbolic link, not followed"),
    (stat.S_ISFIFO, "a named pipe, not opened"),
    (stat.S_ISSOCK, "a socket, not opened"),
    (stat.S_ISBLK, "a device, not opened"),
    (stat.S_ISCHR, "a device, not opened"),
)


class Scanned:
    """What lies directly inside one directory; reason is why it could not be listed, if so.

    Not a dataclass: their module takes longer to import than this program takes to start.
    """

    __slots__ = ("folders", "names", "oddities", "reason", "size_bytes")

    def __init__(self, reason: str = "") -> None:
        """Start with nothing."""
        self.names: list[str] = []
        self.folders: list[str] = []
        self.oddities: list[tuple[str, str]] = []
        self.size_bytes = 0
        self.reason = reason


def scan_directory(path: str) -> Scanned:
    """List a directory and add up its plain files; raises OSError where it cannot be listed."""
    found = Scanned()
    total = 0
    take = found.names.append
    # By descriptor: the kernel then resolves one name per file and not the whole path.
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                # is_file first: it needs no system call and is true for nearly all of them.
                if entry.is_file(follow_symlinks=False):
                    take(entry.name)
                    try:
                        total += entry.stat(follow_symlinks=False).st_size
                    except FileNotFoundError:
                        found.names.pop()  # a running query deleted it meanwhile
                elif entry.is_dir(follow_symlinks=False):
                    found.folders.append(entry.name)
                else:
                    found.oddities.append((entry.name, _kind(entry)))
    finally:
        os.close(descriptor)
    found.size_bytes = total
    return found


def encode(scanned: Scanned) -> str:
    """What was found as one text: fields ended by a slash, which no name can hold, lists by NUL."""
    fields = (
        f"{scanned.size_bytes}",
        scanned.reason,
        "".join(f"{name}\0" for name in scanned.folders),
        "".join(f"{name}\0{reason}\0" for name, reason in scanned.oddities),
        "\0".join(scanned.names) + "\0" if scanned.names else "",
    )
    return "/".join(fields) + "/"


def decode(text: str) -> Iterator[Scanned]:
    """The other way round: one Scanned for each directory, in order."""
    fields = iter(text.split("/"))
    for size, reason, folders, oddities, names in zip(*[fields] * 5, strict=False):
        found = Scanned(reason)
        found.size_bytes = int(size)
        found.folders = folders.split("\0")[:-1]
        pairs = oddities.split("\0")[:-1]
        found.oddities = list(zip(pairs[::2], pairs[1::2], strict=True))
        found.names = names.split("\0")[:-1]
        yield found


def _kind(entry: "os.DirEntry[str]") -> str:
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError as error:
        return f"cannot be looked at: {os.strerror(error.errno or 0)}"
    return next((text for test, text in _KINDS if test(mode)), "not a plain file")


def _scan_or_say_why(path: str) -> Scanned:
    try:
        return scan_directory(path)
    except OSError as error:
        return Scanned(reason=str(error.errno or 0))


def main() -> None:
    """Answer for every directory that comes in, in the same order."""
    answers: list[str] = []
    rest = b""
    while chunk := os.read(sys.stdin.fileno(), _PIPE_BYTES):
        *paths, rest = (rest + chunk).split(b"\0")
        answers += [encode(_scan_or_say_why(os.fsdecode(path))) for path in paths]
    sys.stdout.buffer.write(os.fsencode("".join(answers)))


if __name__ == "__main__":
    main()
