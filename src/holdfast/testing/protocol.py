"""The protocol of a sink with a ledger, one promise a test, in one process."""

from collections.abc import Iterator
from pathlib import Path

from holdfast.core.running.batch import Batch
from holdfast.core.running.ports import BatchSink
from holdfast.errors import FencedError
from holdfast.testing.candidate import OTHER_QUERY, QUERY, Candidate, Row, batch_of
from holdfast.testing.judging import (
    check,
    check_end,
    check_holds,
    check_part,
    check_rows,
    visible,
    wanted_of,
)


class ProtocolTests(Candidate):
    """What `BatchSink` promises while nothing dies."""

    def test_a_batch_is_written_and_visible(self, tmp_path: Path) -> None:
        """All its rows, equal ones too; an id of a batch may be left out."""
        sink = _opened(self, tmp_path)
        held: list[int] = []
        for batch_id in (0, 1, 4):
            _writes(sink.write(batch_of(self, sink, batch_id)), batch_id)
            held.append(batch_id)
            check_holds(self, tmp_path, held, f"after batch {batch_id}")

    def test_a_batch_that_is_there_is_skipped(self, tmp_path: Path) -> None:
        """The same batch again, and any older one, changes nothing and gives False."""
        sink = _opened(self, tmp_path)
        for batch_id in (0, 1):
            sink.write(batch_of(self, sink, batch_id))
        later = _opened(self, tmp_path, epoch=2)
        for batch_id in (1, 0, 1):
            _skips(later.write(batch_of(self, later, batch_id, epoch=2)), batch_id)
            check_holds(self, tmp_path, (0, 1), f"after batch {batch_id} came again")
        _marked(later, 1)

    def test_the_last_batch_is_told(self, tmp_path: Path) -> None:
        """None before the first one; then the newest, also to a sink that is opened later."""
        sink = _opened(self, tmp_path)
        _marked(sink, None)
        for batch_id in (0, 1):
            sink.write(batch_of(self, sink, batch_id))
            _marked(sink, batch_id)
        _marked(_opened(self, tmp_path, epoch=2), 1)

    def test_queries_do_not_mix(self, tmp_path: Path) -> None:
        """Each query has its own batches, its own last batch and its own epochs."""
        sink = _opened(self, tmp_path, epoch=5)
        sink.write(batch_of(self, sink, 0, epoch=5))
        sink.write(batch_of(self, sink, 1, epoch=5))
        other = self.open_sink(tmp_path)
        check(not _is_refused(other, OTHER_QUERY), "a query was refused for another query's epoch")
        check(other.last_batch(OTHER_QUERY) is None, "a query has another query's last batch")
        batch = batch_of(self, other, 0, query_id=OTHER_QUERY, rows=lambda: iter(self.rows(2)))
        check(other.write(batch) is True, "batch 0 was skipped: another query has written its own")
        rows = [row for number in (0, 1, 2) for row in self.rows(number)]
        check_rows(visible(self, tmp_path), wanted_of(self, rows), "after batches of two queries")
        check(other.last_batch(OTHER_QUERY) == 0, "the last batch is that of another query")
        _marked(sink, 1)

    def test_a_lower_epoch_is_refused(self, tmp_path: Path) -> None:
        """FencedError, whether it was opened before the higher one or comes after it."""
        old = _opened(self, tmp_path, epoch=1)
        old.write(batch_of(self, old, 0, epoch=1))
        new = _opened(self, tmp_path, epoch=2)
        check(_is_fenced(self, old, epoch=1), "epoch 1 wrote after epoch 2 had been opened")
        late = self.open_sink(tmp_path)
        check(
            _is_fenced(self, late, epoch=1, opens=True),
            "epoch 1 was opened after epoch 2 and wrote",
        )
        check_holds(self, tmp_path, (0,), "after a lower epoch was refused")
        _marked(new, 0)

    def test_a_higher_epoch_goes_on(self, tmp_path: Path) -> None:
        """It skips what lower ones have written and writes what comes next."""
        for epoch in (1, 2, 7):
            sink = _opened(self, tmp_path, epoch=epoch)
            for batch_id in range(epoch + 1):
                wrote = sink.write(batch_of(self, sink, batch_id, epoch=epoch))
                check(
                    wrote is (batch_id > {1: -1, 2: 1, 7: 2}[epoch]),
                    f"epoch {epoch} answered {wrote} to batch {batch_id}",
                )
            check_holds(self, tmp_path, range(epoch + 1), f"after epoch {epoch}")

    def test_rows_are_asked_for_once(self, tmp_path: Path) -> None:
        """Asking runs the query's plan: at most once, and not at all for a batch that is there."""
        asked = 0

        def rows() -> Iterator[Row]:
            nonlocal asked
            asked += 1
            return iter(self.rows(0))

        sink = _opened(self, tmp_path)
        sink.write(batch_of(self, sink, 0, rows=rows))
        check(asked == 1, f"rows were asked for {asked} times")
        sink.write(batch_of(self, sink, 0, rows=rows))
        check(asked == 1, "rows of a batch that is there were asked for")

    def test_an_error_among_the_rows_leaves_nothing(self, tmp_path: Path) -> None:
        """What the rows raise ends the write, which can then be made; atomic: nothing is there."""

        def rows() -> Iterator[Row]:
            yield from self.rows(1)
            raise _RowsError("the rows of this batch could not be computed")

        sink = _opened(self, tmp_path)
        sink.write(batch_of(self, sink, 0))
        check(
            _fails(sink, batch_of(self, sink, 1, rows=rows)), "an error of the rows was swallowed"
        )
        when = "after an error among the rows of batch 1"
        if self.guarantee == "atomic":
            check_holds(self, tmp_path, (0,), when)
        else:
            check_part(self, tmp_path, (0,), (1,), when)
        _marked(sink, 0)
        _writes(sink.write(batch_of(self, sink, 1)), 1)
        check_end(self, tmp_path, (0, 1), "after batch 1 was written at last", cuts=1)

    def test_an_empty_batch_moves_the_mark(self, tmp_path: Path) -> None:
        """Spark makes batches without rows, and replays them like others."""
        sink = _opened(self, tmp_path)
        sink.write(batch_of(self, sink, 0))
        _writes(sink.write(batch_of(self, sink, 1, rows=lambda: iter(()))), 1)
        _marked(sink, 1)
        _skips(sink.write(batch_of(self, sink, 1, rows=lambda: iter(()))), 1)
        _writes(sink.write(batch_of(self, sink, 2)), 2)
        check_holds(self, tmp_path, (0, 2), "after an empty batch 1")


class _RowsError(Exception):
    """Stands for a failure of the query."""


def _opened(candidate: Candidate, folder: Path, *, epoch: int = 1) -> BatchSink:
    sink = candidate.open_sink(folder)
    sink.open(QUERY, epoch)
    return sink


def _is_refused(sink: BatchSink, query_id: str) -> bool:
    try:
        sink.open(query_id, 1)
    except FencedError:
        return True
    return False


def _fails(sink: BatchSink, batch: Batch) -> bool:
    try:
        sink.write(batch)
    except Exception:  # noqa: BLE001 - the sink may put it into an error of its own
        return True
    return False


def _is_fenced(candidate: Candidate, sink: BatchSink, *, epoch: int, opens: bool = False) -> bool:
    try:
        if opens:
            sink.open(QUERY, epoch)
        sink.write(batch_of(candidate, sink, 1, epoch=epoch))
    except FencedError:
        return True
    return False


def _writes(wrote: bool, batch_id: int) -> None:
    check(wrote is True, f"write gave {wrote!r} for the new batch {batch_id}; it must be True")


def _skips(wrote: bool, batch_id: int) -> None:
    check(wrote is False, f"write gave {wrote!r} for batch {batch_id}, which is there already")


def _marked(sink: BatchSink, batch_id: int | None) -> None:
    last = sink.last_batch(QUERY)
    check(last == batch_id, f"last_batch gave {last!r}; it must be {batch_id!r}")
