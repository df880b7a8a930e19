"""Write segments: lines that pile up while a query runs, kept small for ever."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.core.recording.segment import (
    FLUSH_INTERVAL_S,
    LINE_BYTES_MAX,
    SEGMENT_BYTES_MAX,
    WAITING_BYTES_MAX,
    decode_lines,
    encode_line,
    segment_epoch,
    segment_name,
    segment_names,
    segment_sequence,
)
from holdfast.core.running.ports import Records
from holdfast.errors import HoldfastError


@dataclass(slots=True)
class _Segment:
    """One segment in memory; `written` of its lines are on the store."""

    sequence: int
    lines: list[bytes] = field(default_factory=list)
    size_bytes: int = 0
    written: int = 0

    def add(self, data: bytes) -> None:
        self.lines.append(data)
        self.size_bytes += len(data)

    @property
    def waiting(self) -> int:
        return len(self.lines) - self.written


class SegmentWriter:
    """Adds lines to the segments of one folder, for one epoch; one thread at a time.

    Nothing that the store does comes out of it: `trouble` says what is wrong, and lines wait in
    memory to be flushed later. Where too many wait, the oldest are dropped and counted.
    """

    def __init__(
        self,
        records: Records,
        folder: str,
        epoch: int,
        *,
        segments_max: int,
        monotonic: Callable[[], float],
        flush_interval_s: float = FLUSH_INTERVAL_S,
    ) -> None:
        """Touches nothing yet: the first flush looks at what earlier epochs left."""
        self.trouble: str | None = None
        self.dropped = 0
        self._records = records
        self._folder = folder
        self._epoch = epoch
        self._segments_max = segments_max
        self._monotonic = monotonic
        self._interval_s = flush_interval_s
        self._flushed_s = monotonic()
        self._first_sequence = 0
        self._open = _Segment(0)
        self._closed: list[_Segment] = []
        self._stored: list[str] | None = None
        self._absorbed: str | None = None

    def add(self, line: Mapping[str, Any]) -> None:
        """Take a line in; it reaches the store with a later flush."""
        try:
            data = encode_line(line)
        except (ValueError, TypeError, RecursionError) as error:
            self._drop(1, f"a line cannot be written as JSON: {error}")
            return
        if len(data) > LINE_BYTES_MAX:
            self._drop(1, f"a line has {len(data):,} bytes, more than the {LINE_BYTES_MAX:,} kept")
            return
        if self._open.lines and self._open.size_bytes + len(data) > SEGMENT_BYTES_MAX:
            self._closed.append(self._open)
            self._open = _Segment(self._open.sequence + 1)
            self._bound()
        self._open.add(data)

    def due(self) -> bool:
        """Whether something waits and the last flush is long enough ago."""
        return self._waits() and self._monotonic() - self._flushed_s >= self._interval_s

    def flush(self) -> None:
        """Write what waits; where that fails it waits on, and `trouble` says why."""
        if not self._waits():
            return
        self._flushed_s = self._monotonic()
        try:
            if self._stored is None:
                self._look_around()
            while self._closed:
                self._write(self._closed[0])
                del self._closed[0]
            self._write(self._open)
            self._prune()
            self.trouble = None
        except HoldfastError as error:
            self.trouble = f"{error.code} {error.message}: {error.subject}"
        except Exception as error:  # noqa: BLE001 - records must never harm the query they are of
            self.trouble = f"{type(error).__name__}: {error}"

    def close(self) -> None:
        """Flush for the last time."""
        self.flush()

    def _look_around(self) -> None:
        """Learn what is there, and go on with the newest segment where it is small.

        Runs that end after a batch or two would otherwise leave one small segment each, and the
        bound on their number would throw the history of a day away.
        """
        stored = segment_names(self._records.names(self._folder))
        ours = [segment_sequence(name) for name in stored if segment_epoch(name) == self._epoch]
        self._first_sequence = max(ours, default=-1) + 1
        newest = stored[-1] if stored and segment_epoch(stored[-1]) <= self._epoch else None
        data = self._records.read(f"{self._folder}/{newest}") if newest else None
        first = self._closed[0] if self._closed else self._open
        if data and len(data) + first.size_bytes <= SEGMENT_BYTES_MAX:
            if not decode_lines(data).damaged:
                first.lines[:0] = [line + b"\n" for line in data.split(b"\n") if line]
                first.size_bytes += len(data)
                self._absorbed = newest
        self._stored = stored

    def _write(self, segment: _Segment) -> None:
        if segment.waiting <= 0:
            return
        name = segment_name(self._epoch, self._first_sequence + segment.sequence)
        self._records.replace(f"{self._folder}/{name}", b"".join(segment.lines))
        segment.written = len(segment.lines)
        assert self._stored is not None
        if name not in self._stored:
            self._stored = segment_names([*self._stored, name])
        if self._absorbed is not None:
            # Only now that its lines are stored elsewhere.
            self._records.remove(f"{self._folder}/{self._absorbed}")
            self._stored.remove(self._absorbed)
            self._absorbed = None

    def _prune(self) -> None:
        """Remove the oldest beyond the bound; a writer that was superseded removes nothing."""
        stored = self._stored or []
        if stored and segment_epoch(stored[-1]) > self._epoch:
            return
        while len(stored) > self._segments_max:
            self._records.remove(f"{self._folder}/{stored[0]}")
            del stored[0]

    def _bound(self) -> None:
        while len(self._closed) > 1 and self._held_bytes() > WAITING_BYTES_MAX:
            oldest = self._closed.pop(0)
            self._drop(oldest.waiting, self.trouble or "too much waits to be written")

    def _waits(self) -> bool:
        return bool(self._closed) or self._open.waiting > 0

    def _held_bytes(self) -> int:
        return sum(segment.size_bytes for segment in self._closed)

    def _drop(self, lines: int, why: str) -> None:
        self.dropped += lines
        self.trouble = why
