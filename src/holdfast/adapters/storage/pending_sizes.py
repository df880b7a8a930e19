"""Sizes by directory that are added up by other processes while this one goes on reading."""

import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from holdfast.adapters.storage import directory_sizes

_WORKERS_MAX = 2
_WORKERS_FILES_MIN = 20_000
"""Below this, starting processes (15 ms) costs more than it saves."""

_slots = threading.BoundedSemaphore(_WORKERS_MAX)
"""All listings together, for many may be made at once: never more processes than these."""


@dataclass(slots=True)
class _Worker:
    process: "subprocess.Popen[bytes]"
    paths: list[str] = field(default_factory=list)
    load: int = 0


class PendingSizes(Mapping[str, int]):
    """Bytes directly inside each directory below a root; the first question waits for all.

    Whatever becomes of the other processes, the answer is right: what they did not say is added
    up here.
    """

    def __init__(self, root: str) -> None:
        """`root` is absolute; directories are added as they are found."""
        self._root = root
        self._paths: list[str] = []
        self._files = 0
        self._workers: list[_Worker] = []
        self._started = False
        self._sums: dict[str, int] = {}
        self._finalizer = weakref.finalize(self, _stop, self._workers)

    def add(self, path: str, files: int) -> None:
        """Take in one directory, by its path below the root, with so many files inside."""
        self._paths.append(path)
        self._files += files
        if not self._started and self._files >= _WORKERS_FILES_MIN:
            self._started = True
            self._workers += _start_workers()
            for known in self._paths[:-1]:
                self._hand_over(known, 1)
        self._hand_over(path, files)

    def complete(self) -> None:
        """Say that no more directories will be added."""
        for worker in self._workers:
            _close(worker)

    def __getitem__(self, path: str) -> int:
        return self._all()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def _hand_over(self, path: str, files: int) -> None:
        if not self._workers:
            return
        worker = min(self._workers, key=lambda each: each.load)
        worker.load += files + 10  # opening a directory costs as much as some files
        worker.paths.append(path)
        try:
            if worker.process.stdin is not None:
                worker.process.stdin.write(os.fsencode(self._absolute(path)) + b"\0")
        except OSError:
            worker.process.kill()

    def _all(self) -> dict[str, int]:
        if not self._sums and self._paths:
            sums: dict[str, int] = {}
            self.complete()
            for worker in self._workers:
                sums.update(_answers(worker))
            self._finalizer()
            for path in self._paths:
                if path not in sums:
                    sums[path] = directory_sizes.directory_size(self._absolute(path))
            self._sums = sums
        return self._sums

    def _absolute(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root


def _start_workers() -> list[_Worker]:
    workers: list[_Worker] = []
    if not sys.executable or (os.cpu_count() or 1) < 2:
        return workers
    while len(workers) < _WORKERS_MAX and _slots.acquire(blocking=False):
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", directory_sizes.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        except OSError:
            _slots.release()
            break
        workers.append(_Worker(process))
    return workers


def _answers(worker: _Worker) -> dict[str, int]:
    lines = worker.process.communicate()[0].split()
    if len(lines) != len(worker.paths):
        return {}
    return dict(zip(worker.paths, map(int, lines), strict=True))


def _close(worker: _Worker) -> None:
    if worker.process.stdin is not None:
        worker.process.stdin.close()
        worker.process.stdin = None


def _stop(workers: list[_Worker]) -> None:
    """End what still runs; also called when nobody asked for the sizes."""
    for worker in workers:
        _close(worker)
        worker.process.kill()
        worker.process.wait()
        if worker.process.stdout is not None:
            worker.process.stdout.close()
        _slots.release()
    workers.clear()
