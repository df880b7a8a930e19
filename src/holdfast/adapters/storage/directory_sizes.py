"""Add up the sizes of the files directly inside directories.

Also a program of its own, with the standard library alone: directories on standard input,
separated by NUL, one sum per line on standard output. Asking the size of 250,000 files takes a
second in one process; a second process halves it, which threads cannot do under the GIL.
"""

import os
import stat
import sys


def directory_size(path: str) -> int:
    """Bytes of the plain files directly inside; what vanishes meanwhile counts nothing."""
    total = 0
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISREG(status.st_mode):
                    total += status.st_size
    except OSError:
        return total
    return total


if __name__ == "__main__":
    for line in sys.stdin.buffer.read().split(b"\0"):
        if line:
            sys.stdout.write(f"{directory_size(os.fsdecode(line))}\n")
