"""Rows of a batch, asked for once, and given again where a transaction has to be tried again."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Row = Sequence[Any]

REPLAY_BYTES_MAX = 16 * 1024 * 1024
"""Rows kept for another attempt, by their stored size; Python needs some five times as much. A
larger batch is not tried again here: the query itself starts again, which asks Spark anew."""


class Replay:
    """Asking runs the query's plan, and a stateful plan must not be run twice in a batch."""

    def __init__(self, ask: Callable[[], Iterator[Row]], bytes_max: int) -> None:
        """Nothing is asked for yet."""
        self._ask = ask
        self._left = bytes_max
        self._live: Iterator[Row] | None = None
        self._kept: list[Row] | None = [] if bytes_max > 0 else None
        self._is_again = False

    def rows(self) -> Iterator[Row]:
        """Every row from the first one on; only while `is_whole`."""
        self._is_again = False
        if self._live is None:
            self._live = iter(self._ask())
        if self._kept:
            self._is_again = True
            yield from tuple(self._kept)
            self._is_again = False
        for row in self._live:
            if self._kept is not None:
                self._kept.append(row)
            yield row

    def weigh(self, size: int) -> None:
        """Take the size of the row that was given last into account."""
        if not self._is_again:
            self._left -= size
        if self._left < 0:
            self._kept = None

    @property
    def is_whole(self) -> bool:
        """Whether all rows can still be given."""
        return self._live is None or self._kept is not None
