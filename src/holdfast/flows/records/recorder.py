"""Write down what a running query does: its progress as Spark reports it, and a seal per batch."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from holdfast.adapters.storage.opening import open_storage
from holdfast.core.limits import LOG_BYTES_MAX
from holdfast.core.parts import METADATA
from holdfast.core.ports import Storage
from holdfast.core.recording.progress import batch_of, is_idle
from holdfast.core.recording.seal import encode_seal, make_seal
from holdfast.core.recording.segment import (
    FLUSH_INTERVAL_REMOTE_S,
    FLUSH_INTERVAL_S,
    PROGRESS,
    PROGRESS_SEGMENTS_MAX,
    SEAL_SEGMENTS_MAX,
    SEALS,
)
from holdfast.core.running.ports import Records
from holdfast.core.secret_text import shown_options
from holdfast.errors import HoldfastError
from holdfast.flows.records.segments import SegmentWriter

IDLE_INTERVAL_S: Final = 60.0
"""Between two idle events that are kept; Spark reports one every 10 seconds."""

CATCH_UP_MAX: Final = 100
"""Batches that are sealed late: as many as Spark keeps of its logs and of its progress."""

_Outcome = Literal["sealed", "missing", "unreadable"]


class Recorder:
    """Keeps progress and seals of one run; called from one thread, which is not the query's.

    No method raises: what went wrong is said by `trouble`, and the query goes on.
    """

    def __init__(
        self,
        checkpoint: str,
        records: Records,
        epoch: int,
        *,
        monotonic: Callable[[], float],
        secrets: frozenset[str] = frozenset(),
    ) -> None:
        """Touches nothing yet. Values in `secrets` never reach a record."""
        remote = "://" in checkpoint and not checkpoint.startswith("file:")
        interval_s = FLUSH_INTERVAL_REMOTE_S if remote else FLUSH_INTERVAL_S

        def writer(folder: str, segments_max: int) -> SegmentWriter:
            return SegmentWriter(
                records,
                folder,
                epoch,
                segments_max=segments_max,
                monotonic=monotonic,
                flush_interval_s=interval_s,
            )

        self._checkpoint = checkpoint
        self._monotonic = monotonic
        self._secrets = secrets
        self._progress = writer(PROGRESS, PROGRESS_SEGMENTS_MAX)
        self._seals = writer(SEALS, SEAL_SEGMENTS_MAX)
        self._storage: Storage | None = None
        self._reached: int | None = None
        self._unsealed: list[int] = []
        self._newest: tuple[Any, ...] | None = None
        self._idle_s: float | None = None
        self._unread: str | None = None
        self._other: str | None = None

    @property
    def trouble(self) -> str | None:
        """What keeps progress or seals from being written now, None where nothing does."""
        return self._progress.trouble or self._seals.trouble or self._unread or self._other

    @trouble.setter
    def trouble(self, text: str | None) -> None:
        """Remember what went wrong with another record of the run."""
        self._other = text

    @property
    def dropped(self) -> int:
        """How many events and seals were given up because too many waited."""
        return self._progress.dropped + self._seals.dropped

    def note(self, progress: Mapping[str, Any]) -> None:
        """Keep one progress event, and seal the batches that have been committed since the last."""
        try:
            self._keep(progress)
            batch = batch_of(progress)
            if batch is not None:
                self._seal_through(batch)
        except Exception as error:  # noqa: BLE001 - records must never harm the query they are of
            self._unread = f"{type(error).__name__}: {error}"

    def tick(self) -> None:
        """Flush what is due; to be called every now and then."""
        for writer in (self._progress, self._seals):
            if writer.due():
                writer.flush()

    def close(self) -> None:
        """Seal what could not be sealed before, and flush everything."""
        try:
            if self._reached is not None:
                self._seal_through(self._reached)
        except Exception as error:  # noqa: BLE001 - as above
            self._unread = f"{type(error).__name__}: {error}"
        self._progress.close()
        self._seals.close()

    def _keep(self, progress: Mapping[str, Any]) -> None:
        mark = tuple(progress.get(name) for name in ("runId", "batchId", "timestamp"))
        if mark == self._newest:
            return  # the same event, seen again by whoever polls
        self._newest = mark
        if is_idle(progress):
            now_s = self._monotonic()
            if self._idle_s is not None and now_s - self._idle_s < IDLE_INTERVAL_S:
                return
            self._idle_s = now_s
        self._progress.add(shown_options(progress, self._secrets))

    def _seal_through(self, batch: int) -> None:
        """Try to seal every batch up to this one that is not sealed yet.

        The newest may not be committed yet: an idle event bears the id of the batch to come, and
        with asynchronous progress tracking commits follow later. It is tried again then. An older
        one without a commit was never written down.
        """
        if self._reached is None:
            self._unsealed = [batch]
        elif batch > self._reached:
            first = max(self._reached + 1, batch - CATCH_UP_MAX + 1)
            self._unsealed += range(first, batch + 1)
        self._reached = max(batch, self._reached or 0)
        self._unread = None
        outcomes = {each: self._seal(each) for each in self._unsealed}
        again = [
            each
            for each, outcome in outcomes.items()
            if outcome == "unreadable" or (outcome == "missing" and each == self._reached)
        ]
        self._unsealed = again[-CATCH_UP_MAX:]

    def _seal(self, batch: int) -> _Outcome:
        """Seal one batch, unless a file of it is missing or could not be read."""
        names = (f"offsets/{batch}", f"commits/{batch}", METADATA)
        try:
            if self._storage is None:
                self._storage = open_storage(self._checkpoint)
            contents = self._storage.read(names, LOG_BYTES_MAX)
        except HoldfastError as error:
            self._unread = f"{error.code} {error.message}: {error.subject}"
            return "unreadable"
        found: list[bytes] = []
        for name in names:
            content = contents.get(name)
            if isinstance(content, HoldfastError):
                self._unread = f"{content.code} {content.message}: {name}"
                return "unreadable"
            if content is None:
                return "missing"
            found.append(content)
        offsets, commits, metadata = found
        seal = make_seal(batch, offsets=offsets, commits=commits, metadata=metadata)
        self._seals.add(encode_seal(seal))
        return "sealed"
