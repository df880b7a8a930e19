"""Sinks that are wrong, each in one way, with the test of the suite that must say so."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from holdfast.core.running.batch import Batch
from holdfast.errors import FencedError
from tests.testing.small_sink import Small, SmallSink


class EqualRowsOnce(Small):
    meant = "test_a_batch_is_written_and_visible"
    says = "after batch 0: 1 rows lost"

    class Sink(SmallSink):
        def insert(self, connection: Any, rows: Any) -> None:
            super().insert(connection, dict.fromkeys(rows))


class NeverSkips(Small):
    meant = "test_a_batch_that_is_there_is_skipped"
    says = "write gave True for batch 1, which is there already"

    class Sink(SmallSink):
        def holds(self, connection: Any, batch: Batch) -> bool:
            return False


class SkipsOnlyTheNewest(Small):
    meant = "test_a_batch_that_is_there_is_skipped"
    says = "write gave True for batch 0, which is there already"

    class Sink(SmallSink):
        def holds(self, connection: Any, batch: Batch) -> bool:
            return self.marked(connection, batch.query_id) == batch.batch_id


class TellsAlwaysOne(Small):
    meant = "test_the_last_batch_is_told"
    says = "last_batch gave 0; it must be None"

    class Sink(SmallSink):
        def last_batch(self, query_id: str) -> int | None:
            last = super().last_batch(query_id)
            return 0 if last is None else last


class OneLedgerForAll(Small):
    meant = "test_queries_do_not_mix"
    says = "batch 0 was skipped: another query has written its own"

    class Sink(SmallSink):
        def holds(self, connection: Any, batch: Batch) -> bool:
            (last,) = connection.execute("SELECT max(last) FROM ledger").fetchone()
            return last is not None and last >= batch.batch_id


class OneFenceForAll(Small):
    meant = "test_queries_do_not_mix"
    says = "refused for another query's epoch"

    class Sink(SmallSink):
        def check_fence(self, connection: Any, query_id: str, epoch: int) -> None:
            for (query,) in connection.execute("SELECT query FROM ledger").fetchall():
                super().check_fence(connection, query, epoch)


class NoFence(Small):
    meant = "test_a_lower_epoch_is_refused"
    says = "epoch 1 wrote after epoch 2 had been opened"

    class Sink(SmallSink):
        def check_fence(self, connection: Any, query_id: str, epoch: int) -> None:
            pass


class FenceOnlyAtOpen(Small):
    meant = "test_a_lower_epoch_is_refused"
    says = "epoch 1 wrote after epoch 2 had been opened"

    class Sink(SmallSink):
        is_open = False

        def open(self, query_id: str, epoch: int) -> None:
            super().open(query_id, epoch)
            self.is_open = True

        def check_fence(self, connection: Any, query_id: str, epoch: int) -> None:
            if not self.is_open:
                super().check_fence(connection, query_id, epoch)


class MarksOfOneEpoch(Small):
    meant = "test_a_higher_epoch_goes_on"
    says = "epoch 2 answered True to batch 0"

    class Sink(SmallSink):
        def open(self, query_id: str, epoch: int) -> None:
            super().open(query_id, epoch)
            with self.connected() as connection:
                connection.execute("UPDATE ledger SET last = NULL WHERE epoch > 1")


class AsksTwice(Small):
    meant = "test_rows_are_asked_for_once"
    says = "rows were asked for 2 times"

    class Sink(SmallSink):
        def write(self, batch: Batch) -> bool:
            self.count = len(list(batch.rows()))
            return super().write(batch)


class AsksBeforeItKnows(Small):
    meant = "test_rows_are_asked_for_once"
    says = "rows of a batch that is there were asked for"

    class Sink(SmallSink):
        def write(self, batch: Batch) -> bool:
            rows = list(batch.rows())
            object.__setattr__(batch, "rows", lambda: iter(rows))
            return super().write(batch)


class CommitsWhatItGot(Small):
    meant = "test_an_error_among_the_rows_leaves_nothing"
    says = "after an error among the rows of batch 1: 0 rows lost, 6 too many"

    class Sink(SmallSink):
        def insert(self, connection: Any, rows: Any) -> None:
            try:
                super().insert(connection, rows)
            except Exception:
                connection.execute("COMMIT")
                raise


class SwallowsErrors(Small):
    meant = "test_an_error_among_the_rows_leaves_nothing"
    says = "an error of the rows was swallowed"

    class Sink(SmallSink):
        def write(self, batch: Batch) -> bool:
            try:
                return super().write(batch)
            except FencedError:
                raise
            except Exception:  # noqa: BLE001 - that is what is wrong with it
                return True


class ForgetsEmptyBatches(Small):
    meant = "test_an_empty_batch_moves_the_mark"
    says = "last_batch gave 0; it must be 1"

    class Sink(SmallSink):
        def mark(self, connection: Any, batch: Batch) -> None:
            if connection.total_changes:
                super().mark(connection, batch)


class MarksInMemory(Small):
    meant = "test_a_new_process_sees_what_another_wrote"
    says = "a new process found last batch None"

    class Sink(SmallSink):
        MARKS: ClassVar[dict[tuple[Path, str], int]] = {}

        def mark(self, connection: Any, batch: Batch) -> None:
            self.MARKS[self.path, batch.query_id] = batch.batch_id

        def marked(self, connection: Any, query_id: str) -> int | None:
            return self.MARKS.get((self.path, query_id))


class CommitsEachRow(Small):
    """Undoes what it wrote where it can; a killed process cannot."""

    meant = "test_killed_among_the_rows"
    says = "killed before row 2 of batch 0: half a batch was visible"

    class Sink(SmallSink):
        def insert(self, connection: Any, rows: Any) -> None:
            connection.execute("COMMIT")
            (first,) = connection.execute("SELECT max(rowid) FROM target").fetchone()
            try:
                super().insert(connection, rows)
            except Exception:
                connection.execute("DELETE FROM target WHERE rowid > ?", (first or 0,))
                raise
            connection.execute("BEGIN IMMEDIATE")


class MarkInASecondTransaction(Small):
    meant = "test_killed_before_every_file_operation"
    says = "the rows of 1 batches were visible and not all of their marks"

    class Sink(SmallSink):
        def mark(self, connection: Any, batch: Batch) -> None:
            connection.execute("COMMIT")
            connection.execute("BEGIN IMMEDIATE")
            super().mark(connection, batch)


class EarlyMark(Small):
    meant = "test_killed_before_every_file_operation"
    says = "started again: 6 rows lost, 0 too many"

    class Sink(SmallSink):
        def insert(self, connection: Any, rows: Any) -> None:
            given = list(rows)
            connection.execute("UPDATE ledger SET last = coalesce(last, -1) + 1")
            connection.execute("COMMIT")
            connection.execute("BEGIN IMMEDIATE")
            super().insert(connection, given)


class DeletesThenInserts(Small):
    """Right in the end, and half a batch is visible on the way."""

    meant = "test_killed_before_every_file_operation"
    says = "half a batch was visible: 0 rows lost, 3 too many"

    class Sink(SmallSink):
        def insert(self, connection: Any, rows: Any) -> None:
            given = list(rows)
            version = given[0][1] if given else None
            connection.execute("DELETE FROM target WHERE version = ?", (version,))
            for part in (given[:3], given[3:]):
                super().insert(connection, part)
                connection.execute("COMMIT")
                connection.execute("BEGIN IMMEDIATE")


class AnnouncedSecondTransaction(Small):
    meant = "test_killed_at_every_step"
    says = "killed at its step 'rows' (0 written): the rows of 1 batches"

    class Sink(SmallSink):
        steps: Callable[[str], None] = print

        def listen(self, steps: Callable[[str], None]) -> None:
            self.steps = steps

        def mark(self, connection: Any, batch: Batch) -> None:
            connection.execute("COMMIT")
            self.steps("rows")
            connection.execute("BEGIN IMMEDIATE")
            super().mark(connection, batch)


class MarkLookedAtOutside(Small):
    meant = "test_two_processes_write_the_same_batch_at_once"
    says = "both gave True"

    class Sink(SmallSink):
        def write(self, batch: Batch) -> bool:
            with self.connected() as connection:
                self.check_fence(connection, batch.query_id, batch.epoch)
                if super().holds(connection, batch):
                    return False
            return super().write(batch)

        def holds(self, connection: Any, batch: Batch) -> bool:
            return False


class FenceBeforeTheRows(Small):
    """The fence is looked at, the rows are computed, and only then the transaction begins."""

    meant = "test_a_paused_writer_is_fenced"
    says = "a higher epoch opened, and the writer was not refused: write gave (True,)"

    class Sink(SmallSink):
        def write(self, batch: Batch) -> bool:
            with self.connected() as connection:
                self.check_fence(connection, batch.query_id, batch.epoch)
                if self.holds(connection, batch):
                    return False
            rows = list(batch.rows())
            with self.writing() as connection:
                if self.holds(connection, batch):
                    return False
                self.insert(connection, rows)
                self.mark(connection, batch)
                connection.execute("COMMIT")
            return True


class FenceBeforeAFile(Small):
    """Rows are staged in a file between the look at the fence and the transaction."""

    meant = "test_a_held_writer_is_fenced"
    says = "a higher epoch opened, and the writer was not refused: write gave (True,)"

    class Sink(SmallSink):
        def write(self, batch: Batch) -> bool:
            with self.connected() as connection:
                self.check_fence(connection, batch.query_id, batch.epoch)
                if self.holds(connection, batch):
                    return False
            rows = list(batch.rows())
            with self.connected() as connection:
                self.check_fence(connection, batch.query_id, batch.epoch)
            self.path.with_name(f"staged-{os.getpid()}").write_text(repr(rows))
            with self.writing() as connection:
                if self.holds(connection, batch):
                    return False
                self.insert(connection, rows)
                self.mark(connection, batch)
                connection.execute("COMMIT")
            return True


class FenceOutside(Small):
    """The fence is looked at just before the transaction, whose lock may take a while to get."""

    meant = "test_a_writer_is_fenced_while_another_opens"
    says = "a higher epoch opened, and the writer was not refused: write gave (True,)"

    class Sink(SmallSink):
        def write(self, batch: Batch) -> bool:
            with self.connected() as connection:
                self.check_fence(connection, batch.query_id, batch.epoch)
            with self.writing() as connection:
                if self.holds(connection, batch):
                    return False
                self.insert(connection, batch.rows())
                self.mark(connection, batch)
                connection.execute("COMMIT")
            return True
