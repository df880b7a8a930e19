"""How long the rest of an audit takes, counted in starts of the job.

Points are a bad measure: those of a chain are decided together, at its end, and what a chain leaves
undecided costs two starts for each point. A chain of three kills is four starts, whatever it finds.
"""

from collections import Counter
from collections.abc import Iterable

from holdfast.core.crash.chain import Chain


class Pace:
    """Told of each trial as it begins and ends; reads no clock."""

    def __init__(self, chains: Iterable[Chain], *, start_ms: int, workers: int) -> None:
        """Take what one start is thought to cost until a trial has ended, and trials at a time."""
        self._waiting: Counter[int] = Counter(map(_starts, chains))
        self._running: dict[Chain, int] = {}
        self._start_ms = start_ms
        self._workers = workers
        self._spent_ms = 0
        self._started = 0

    def expect(self, chains: Iterable[Chain]) -> None:
        """More is to be done than was known."""
        self._waiting.update(map(_starts, chains))

    def begin(self, chain: Chain, now_ms: int) -> None:
        """One that was waited for is being tried."""
        self._waiting -= Counter([_starts(chain)])
        self._running[chain] = now_ms

    def end(self, chain: Chain, *, starts: int, now_ms: int) -> None:
        """It is over, after so many starts."""
        self._spent_ms += now_ms - self._running.pop(chain)
        self._started += starts

    def left_ms(self, now_ms: int) -> int:
        """About how long the rest takes: shared by the workers, but no trial by two of them."""
        each = self._spent_ms / self._started if self._started else self._start_ms
        running = [
            max(0.0, _starts(chain) * each - (now_ms - began_ms))
            for chain, began_ms in self._running.items()
        ]
        waiting = [starts * each for starts in self._waiting.elements()]
        return round(max((sum(running) + sum(waiting)) / self._workers, *running, *waiting, 0.0))


def _starts(chain: Chain) -> int:
    """One for each kill, and one more that comes to its end."""
    return len(chain) + 1
