"""Two processes at one sink: the same batch at once, and take-overs in the middle of a write."""

from collections.abc import Iterator
from pathlib import Path

from holdfast.testing.candidate import QUERY, Candidate, batch_of
from holdfast.testing.crashes import skip_without_gate
from holdfast.testing.ending import skip
from holdfast.testing.judging import (
    check,
    check_end,
    check_part,
    check_rows,
    visible,
    wanted,
)
from holdfast.testing.order import Moment, Order, Report
from holdfast.testing.writers import Writer, Writers

_BLOCKED_S = 0.5
"""Who has not ended by then waits for the other one's lock. A sink that is right passes whatever
this is; with less, one that is wrong may get away."""
_MOMENTS_MAX = 200


class RaceTests(Candidate):
    """Whatever two processes do at the same time, one of them wins, and only one."""

    def test_two_processes_write_the_same_batch_at_once(self, tmp_path: Path) -> None:
        """One is paused among its rows (SIGSTOP) while the other writes: once in the end."""
        if self.guarantee == "at-least-once":
            skip("at-least-once: that two never write under one epoch is the lease's promise alone")
        with Writers(self, tmp_path / "logs") as writers:
            for at in (Moment(kind="row", number=1), _last_row(self)):
                folder = _begun(self, tmp_path / f"row-{at.number}")
                two = _about_to_write(writers, folder)
                one = writers.start(_order(folder, 2, 1, at=at))
                check(one.await_pause(), f"the sink did not ask for row {at.number}")
                two.go_on()
                two.ended(_BLOCKED_S)
                one.go_on()
                wrote = [*one.report().wrote, *two.report().wrote]
                is_atomic = self.guarantee == "atomic"
                check(
                    not is_atomic or wrote.count(True) < 2,
                    "two processes wrote the same batch, both gave True",
                )
                _finish(self, writers, folder, "after two processes wrote batch 1 at once")

    def test_a_paused_writer_is_fenced(self, tmp_path: Path) -> None:
        """Paused (SIGSTOP) anywhere in a write; it wakes after a higher epoch was opened."""
        with Writers(self, tmp_path / "logs") as writers:
            for at in _pauses(self):
                folder = _begun(self, tmp_path / f"{at.kind}-{at.number}")
                older = writers.start(_order(folder, 2, 1, at=at))
                if not older.await_pause():
                    check(at.kind == "step", f"the sink did not come to {at.kind} {at.number}")
                    break
                newer = writers.start(Order(folder=str(folder), epoch=3))
                newer.ended(_BLOCKED_S)
                older.go_on()
                when = f"paused {older.report().reached}"
                _judge(self, folder, older.report(), newer, when)
                _finish(self, writers, folder, when)

    def test_a_held_writer_is_fenced(self, tmp_path: Path) -> None:
        """Held before each file operation of a write, while a higher epoch is opened."""
        skip_without_gate()
        with (
            Writers(self, tmp_path / "logs") as writers,
            Writers(self, tmp_path / "gated", gated=True) as gated,
        ):
            for number in _numbers():
                folder = _begun(self, tmp_path / f"write-{number}")
                older = _about_to_write(gated, folder)
                older.go_on()
                if older.await_operation(number) is None:
                    break
                newer = writers.start(Order(folder=str(folder), epoch=3))
                newer.ended(_BLOCKED_S)
                gated.release()
                when = f"held before file operation {number} of a write"
                _judge(self, folder, older.report(), newer, when)
                _finish(self, writers, folder, when)
        if number == 1:
            skip("a write changes no file below the folder")

    def test_a_writer_is_fenced_while_another_opens(self, tmp_path: Path) -> None:
        """The higher epoch is held within `open`, before each of its file operations."""
        skip_without_gate()
        with (
            Writers(self, tmp_path / "logs") as writers,
            Writers(self, tmp_path / "gated", gated=True) as gated,
        ):
            for number in _numbers():
                folder = _begun(self, tmp_path / f"open-{number}")
                older = _about_to_write(writers, folder)
                newer = gated.start(Order(folder=str(folder), epoch=3))
                operation = newer.await_operation(number)
                older.go_on()
                if operation is not None:
                    older.ended(_BLOCKED_S)
                    gated.release()
                when = f"a higher epoch was held in its {number}. file operation of `open`"
                newer.report()
                _judge(self, folder, older.report(), newer, when)
                _finish(self, writers, folder, when)
                if operation is None:
                    break
        if number == 1:
            skip("opening the sink changes no file below the folder")


def _pauses(candidate: Candidate) -> Iterator[Moment]:
    """Before the write, at the first row, after the last, and at each step there may be."""
    yield Moment(kind="write", number=1)
    yield Moment(kind="row", number=1)
    yield _last_row(candidate)
    for number in _numbers():
        yield Moment(kind="step", number=number)


def _numbers() -> Iterator[int]:
    """From 1 on; a sweep that comes to no end fails, it does not pass for complete."""
    yield from range(1, _MOMENTS_MAX + 1)
    raise AssertionError(f"the sink takes more than {_MOMENTS_MAX} steps for a small batch")


def _judge(candidate: Candidate, folder: Path, older: Report, newer: Writer, when: str) -> None:
    """Batch 1 was there when the higher epoch had opened, or it was refused."""
    opened = newer.report()
    if opened.error:
        return  # it could not get in; it is opened again later
    if candidate.guarantee != "atomic":
        # What was on its way may arrive; nothing more may be begun.
        check_part(candidate, folder, (0,), (1,), f"{when}, and a higher epoch opened")
        return
    if opened.found == 1:
        check(not older.is_fenced, f"{when}: the batch was written, and then refused")
        return
    told = older.error or f"write gave {older.wrote}"
    check(older.is_fenced, f"{when}: a higher epoch opened, and the writer was not refused: {told}")
    check_rows(visible(candidate, folder), wanted(candidate, (0,)), f"{when}, and refused")


def _finish(candidate: Candidate, writers: Writers, folder: Path, when: str) -> None:
    """Written again in a new process, it is all there, once."""
    last = writers.run(Order(folder=str(folder), epoch=4, batches=(0, 1)))
    check(not last.error, f"{when}, started again: the sink raised {last.error}")
    check_end(candidate, folder, (0, 1), f"{when}, started again", cuts=1)
    check(last.last == 1, f"{when}, started again: last_batch gave {last.last!r}")


def _begun(candidate: Candidate, folder: Path) -> Path:
    """A folder with batch 0 in it, of epoch 1."""
    folder.mkdir(parents=True)
    sink = candidate.open_sink(folder)
    sink.open(QUERY, 1)
    check(sink.write(batch_of(candidate, sink, 0)) is True, "batch 0 could not be written")
    return folder


def _about_to_write(writers: Writers, folder: Path) -> Writer:
    """A writer of epoch 2 that has opened the sink and is paused before it writes batch 1."""
    writer = writers.start(_order(folder, 2, 1, at=Moment(kind="write", number=1)))
    check(writer.await_pause(), f"a sink with batch 0 could not be opened again: {writer.facts}")
    return writer


def _last_row(candidate: Candidate) -> Moment:
    return Moment(kind="row", number=len(candidate.rows(1)) + 1)


def _order(folder: Path, epoch: int, batch_id: int, *, at: Moment) -> Order:
    return Order(folder=str(folder), epoch=epoch, batches=(batch_id,), at=at, then="pause")
