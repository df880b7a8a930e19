"""Walk a local folder, large directories shared with a second process."""

import heapq
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

from holdfast.adapters.storage import scanning
from holdfast.adapters.storage.scanning import Scanned

SECOND_PROCESS_BYTES_MIN = 1 << 20
"""Size of the directories themselves, as the file system gives it, from which a second process is
worth its start (15 ms): about 20,000 names on ext4."""

_EMPTY_DIRECTORY_BYTES = 4_096
_OPENING_BYTES = 512
"""What opening one directory costs, in the size of names that could be looked at instead."""

_LARGE_DIRECTORY_BYTES = 1 << 16
_CROWD = 16
"""So many directories beside each other are partitions of state, which hold files only."""

_SECOND_PROCESS_SHARE = 1.1
"""How much more the second process takes: this one has all the thinking to do afterwards."""

_slot = threading.BoundedSemaphore(1)
"""Of many walks at once (fleet), one has the second process: there are not more cores for more."""


class Walk:
    """The directories below a root, each with what lies in it; the root's path is ''."""

    def __init__(self, root: str) -> None:
        """`root` is absolute."""
        self._root = root
        self._mine: list[tuple[int, str]] = []
        self._my_load = 0
        self._worker: _Worker | None = None
        self._spent = False

    def __iter__(self) -> Iterator[tuple[str, Scanned | OSError]]:
        """Give every directory once; an error in place of what could not be listed."""
        self._assign([""])
        try:
            while self._mine or self._worker:
                if self._mine:
                    # The smallest first: they hold the folders that are yet to be shared out.
                    _, path = heapq.heappop(self._mine)
                    yield path, self._look(path)
                else:
                    yield from self._collect()
        finally:
            self._stop()

    def _look(self, path: str) -> Scanned | OSError:
        try:
            scanned = scanning.scan_directory(self._absolute(path))
        except OSError as error:
            return error
        self._assign(_below(path, scanned))
        return scanned

    def _collect(self) -> Iterator[tuple[str, Scanned | OSError]]:
        """What the second process found; what it did not say is looked at here."""
        worker, self._worker = self._worker, None
        assert worker is not None
        answers = worker.finish()
        _slot.release()
        for path in worker.paths[len(answers) :]:
            heapq.heappush(self._mine, (0, path))
        for path, scanned in zip(worker.paths, answers, strict=False):
            if scanned.reason:
                number = int(scanned.reason)
                yield path, OSError(number, os.strerror(number))
            else:
                self._assign(_below(path, scanned))
                yield path, scanned

    def _assign(self, paths: list[str]) -> None:
        """Share directories out by their own size, which grows with the names in them."""
        for path in paths:
            load = self._load_of(path)
            if self._worker is None and self._my_load + load >= SECOND_PROCESS_BYTES_MIN:
                self._start()
            # To whoever would be done earlier with it; but a small directory that stands alone may
            # hold the folders that are yet to be shared out, so this process looks into it.
            if (
                self._worker is not None
                and (load >= _LARGE_DIRECTORY_BYTES or len(paths) >= _CROWD)
                and (self._worker.load + load) / _SECOND_PROCESS_SHARE <= self._my_load + load
            ):
                self._worker.take(path, self._absolute(path), load)
            else:
                heapq.heappush(self._mine, (load, path))
                self._my_load += load

    def _load_of(self, path: str) -> int:
        try:
            size = os.lstat(self._absolute(path)).st_size
        except OSError:
            size = 0  # looking at it will say why
        return max(size - _EMPTY_DIRECTORY_BYTES, 0) + _OPENING_BYTES

    def _start(self) -> None:
        if self._spent or not sys.executable or (os.cpu_count() or 1) < 2:
            return
        self._spent = True
        if _slot.acquire(blocking=False):
            try:
                self._worker = _Worker()
            except OSError:
                _slot.release()

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None
            _slot.release()

    def _absolute(self, path: str) -> str:
        return os.path.join(self._root, path) if path else self._root


class _Worker:
    """The second process, and what it was given."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.load = 0
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", scanning.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )

    def take(self, path: str, absolute: str, size: int) -> None:
        """Hand over one directory."""
        self.paths.append(path)
        self.load += size
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(os.fsencode(absolute) + b"\0")
        except OSError:
            self._process.kill()  # it has ended; finish() then has no answers

    def finish(self) -> list[Scanned]:
        """Say that nothing more comes, and wait for the answers; fewer where it failed."""
        output, _ = self._process.communicate()
        if self._process.returncode != 0:
            return []
        return list(scanning.decode(os.fsdecode(output)))

    def kill(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()
        self._process.communicate()


def _below(path: str, scanned: Scanned) -> list[str]:
    prefix = f"{path}/" if path else ""
    return [prefix + name for name in scanned.folders]
