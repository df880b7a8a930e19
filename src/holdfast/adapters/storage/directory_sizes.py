"""Add up the sizes of the files directly inside directories.

Also a program of its own, with the standard library alone: directories come on standard input as
they are found, each ended by NUL; once there are no more, one sum per line goes to standard
output. Asking the size of 250,000 files takes a second in one process, and threads cannot share
the work under the GIL.
"""

import os
import stat
import sys

_PIPE_BYTES = 65_536


def directory_size(path: str | bytes) -> int:
    """Bytes of the plain files directly inside; what vanishes meanwhile counts nothing."""
    total = 0
    try:
        # By descriptor: the kernel then resolves one name per file and not the whole path.
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return total
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISREG(status.st_mode):
                    total += status.st_size
    except OSError:
        return total
    finally:
        os.close(descriptor)
    return total


def main() -> None:
    """Answer for every directory that comes in, in the same order."""
    sums: list[int] = []
    rest = b""
    while chunk := os.read(sys.stdin.fileno(), _PIPE_BYTES):
        *paths, rest = (rest + chunk).split(b"\0")
        sums.extend(map(directory_size, paths))
    sys.stdout.write("".join(f"{total}\n" for total in sums))


if __name__ == "__main__":
    main()
