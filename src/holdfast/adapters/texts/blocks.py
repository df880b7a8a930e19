"""A text of any length in blocks of whole lines: a file, or standard input."""

import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from holdfast.errors import UnreachableError, UsageError

BLOCK_BYTES: Final = 4 * 1024 * 1024
"""Large enough that the cost of a block does not count, small enough to be held a few times."""

OVERLAP_BYTES: Final = 4_096
"""Where a block has no line end, so much of its end is read again with the next one."""


def blocks_of_file(path: str) -> Iterator[str]:
    """The blocks of a plain file, or of a pipe that the shell made; anything else is refused."""
    try:
        mode = Path(path).stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise UsageError(
                "this is no file that could be read",
                subject=path,
                next_action="name the log itself; for a checkpoint use --checkpoint",
            )
        with Path(path).open("rb") as stream:
            yield from _blocks(stream)
    except OSError as error:
        raise UnreachableError(
            f"cannot be read: {error.strerror or error}",
            subject=path,
            next_action="name a file that you may read, or give the text with `-` on stdin",
        ) from error


def blocks_of_stdin() -> Iterator[str]:
    """The blocks of standard input."""
    yield from _blocks(sys.stdin.buffer)


def names_a_path(argument: str) -> bool:
    """Whether something exists under this name, file or not."""
    try:
        return Path(argument).exists()
    except (OSError, ValueError):
        return False  # a whole message is too long for a name, or holds a zero byte


def _blocks(stream: BinaryIO) -> Iterator[str]:
    kept = b""
    while data := stream.read(BLOCK_BYTES):
        data = kept + data
        end = data.rfind(b"\n") + 1
        if end:
            whole, kept = data[:end], data[end:]
        else:
            whole, kept = data, data[-OVERLAP_BYTES:]
        yield whole.decode("utf-8", errors="replace")
        if not end and len(data) < BLOCK_BYTES:
            kept = b""  # the text ended here, without a line end
    if kept:
        yield kept.decode("utf-8", errors="replace")
