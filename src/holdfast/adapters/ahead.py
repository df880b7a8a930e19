"""An iterator that works ahead of who takes from it, in a thread of its own."""

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")

AHEAD = 4
"""Things that are ready at most: enough to keep both sides at work, and bounded in memory."""

_LOOK_S = 0.1
"""How soon the thread notices that nobody will take any more."""


@contextmanager
def ahead(things: Iterator[T]) -> Iterator[Iterator[T]]:
    """What the iterator gives, made while the thing before is being used.

    What it raises is raised where the thing would have been taken. When the block ends the thread
    has ended too, and asked for nothing more.
    """
    worker = _Worker(things)
    worker.start()
    try:
        yield worker.taken()
    finally:
        worker.stop()


class _Worker(Generic[T]):
    def __init__(self, things: Iterator[T]) -> None:
        self._things = things
        self._ready: queue.Queue[tuple[bool, T | BaseException | None]] = queue.Queue(AHEAD)
        self._unwanted = threading.Event()
        self._thread = threading.Thread(target=self._make, name="holdfast-ahead", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._unwanted.set()
        self._thread.join()

    def taken(self) -> Iterator[T]:
        while True:
            is_thing, found = self._ready.get()
            if is_thing:
                yield found  # type: ignore[misc]
            elif found is None:
                return
            else:
                raise found  # type: ignore[misc]

    def _make(self) -> None:
        try:
            for thing in self._things:
                if not self._put((True, thing)):
                    return
        except BaseException as error:  # noqa: BLE001, handed on to who takes
            self._put((False, error))
        else:
            self._put((False, None))

    def _put(self, what: "tuple[bool, T | BaseException | None]") -> bool:
        while not self._unwanted.is_set():
            try:
                self._ready.put(what, timeout=_LOOK_S)
            except queue.Full:
                continue
            return True
        return False
