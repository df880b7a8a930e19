"""A writer that is really killed, and another process that writes the same batches again."""

from collections.abc import Callable
from pathlib import Path

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.testing.candidate import Candidate
from holdfast.testing.ending import skip
from holdfast.testing.judging import (
    check,
    check_end,
    check_part,
    check_rows,
    visible,
    wanted,
)
from holdfast.testing.order import Moment, MomentKind, Order, Report
from holdfast.testing.writers import Writers

_BATCHES = (0, 1)
_KILLS_MAX = 2_000
"""A sink that takes so many steps for two small batches never comes to an end."""

Kill = Callable[[Path, int], str | None]
"""Kills a writer of a folder at the n-th moment, counted from 1, and says where that was; None
where it came to its end before."""


class CrashTests(Candidate):
    """Killed anywhere, started again: every row once, no half batch on the way."""

    def test_a_new_process_sees_what_another_wrote(self, tmp_path: Path) -> None:
        """Rows and mark outlive the process; nothing waits for an end that may not come."""
        folder = _made(tmp_path / "sink")
        with Writers(self, tmp_path / "logs") as writers:
            first = _well(writers.run(Order(folder=str(folder), epoch=1, batches=_BATCHES)))
            check(first.wrote == (True, True), f"the first process: write gave {first.wrote}")
            check_rows(visible(self, folder), wanted(self, _BATCHES), "after another process")
            again = _well(writers.run(Order(folder=str(folder), epoch=2, batches=_BATCHES)))
        check(again.found == 1, f"a new process found last batch {again.found!r}; it must be 1")
        check(again.wrote == (False, False), f"a new process: write gave {again.wrote}")
        check_rows(visible(self, folder), wanted(self, _BATCHES), "after a new process")

    def test_killed_among_the_rows(self, tmp_path: Path) -> None:
        """Before each row of a batch, and after the last one."""
        with Writers(self, tmp_path / "logs") as writers:
            kills = _sweep(self, tmp_path, writers, _kill_at(writers, "row"))
        check(kills > 0, "the sink asked for no row")

    def test_killed_at_every_step(self, tmp_path: Path) -> None:
        """At every step that the sink announces to whoever listens (`listen`)."""
        if not hasattr(self.open_sink(_made(tmp_path / "sink")), "listen"):
            skip("the sink announces no steps: it has no method `listen`")
        with Writers(self, tmp_path / "logs") as writers:
            kills = _sweep(self, tmp_path, writers, _kill_at(writers, "step"))
        check(kills > 0, "the sink has a method `listen` and announced no step")

    def test_killed_before_every_file_operation(self, tmp_path: Path) -> None:
        """Before everything that changes a file below the folder, from the first open on."""
        skip_without_gate()
        with (
            Writers(self, tmp_path / "logs") as writers,
            Writers(self, tmp_path / "gated", gated=True) as gated,
        ):
            kills = _sweep(self, tmp_path, writers, _kill_before_operation(gated))
        if kills == 0:
            skip("the sink changes no file below the folder")


def skip_without_gate() -> None:
    """Skip the test where the kernel allows no gate."""
    obstacle = gate_obstacle()
    if obstacle is not None:
        skip(obstacle)


def _sweep(candidate: Candidate, place: Path, writers: Writers, kill: Kill) -> int:
    """Kill at every moment there is, each in a folder of its own; how many there were."""
    for number in range(1, _KILLS_MAX + 1):
        folder = _made(place / f"kill-{number}")
        where = kill(folder, number)
        if where is None:
            # It came to its end: what it left must be right too.
            check_rows(visible(candidate, folder), wanted(candidate, _BATCHES), "undisturbed")
            return number - 1
        _judge(candidate, folder, writers, f"killed {where}")
    raise AssertionError(f"the sink was killed {_KILLS_MAX} times and is at no end")


def _judge(candidate: Candidate, folder: Path, writers: Writers, when: str) -> None:
    """What a kill left is whole, and the same batches written again make it right."""
    if candidate.guarantee != "atomic":
        check_part(candidate, folder, (), _BATCHES, when)
        again = _well(writers.run(Order(folder=str(folder), epoch=2, batches=_BATCHES)), when)
        check_end(candidate, folder, _BATCHES, f"{when}, started again", cuts=1)
        check(again.last == _BATCHES[-1], f"{when}, started again: last_batch gave {again.last!r}")
        return
    found = visible(candidate, folder)
    stages = [wanted(candidate, _BATCHES[:count]) for count in range(len(_BATCHES) + 1)]
    if found not in stages:
        half = f"{when}: half a batch was visible"
        check_rows(found, max((s for s in stages if s <= found), key=len, default=stages[0]), half)
    there = stages.index(found)
    again = _well(writers.run(Order(folder=str(folder), epoch=2, batches=_BATCHES)), when)
    check(
        not any(again.wrote[:there]),
        f"{when}: the rows of {there} batches were visible and not all of their marks: written "
        f"again, they gave {again.wrote}",
    )
    check_rows(visible(candidate, folder), wanted(candidate, _BATCHES), f"{when}, started again")
    check(again.last == _BATCHES[-1], f"{when}, started again: last_batch gave {again.last!r}")


def _kill_at(writers: Writers, kind: MomentKind) -> Kill:
    def kill(folder: Path, number: int) -> str | None:
        at = Moment(kind=kind, number=number)
        report = writers.run(Order(folder=str(folder), epoch=1, batches=_BATCHES, at=at))
        if not report.reached:
            _well(report, "undisturbed")
        return report.reached or None

    return kill


def _kill_before_operation(gated: Writers) -> Kill:
    def kill(folder: Path, number: int) -> str | None:
        writer = gated.start(Order(folder=str(folder), epoch=1, batches=_BATCHES))
        operation = writer.await_operation(number)
        if operation is None:
            _well(writer.report(), "undisturbed")
            return None
        writer.kill()
        name = Path(operation.path).relative_to(folder.resolve())
        return f"before {operation.call} {name} (file operation {number})"

    return kill


def _well(report: Report, when: str = "") -> Report:
    """A report of a writer that met no error."""
    told = f"{when}, started again: " if when else ""
    check(not report.error, f"{told}the sink raised {report.error}")
    check(report.exit_code == 0, f"{told}a writer ended with code {report.exit_code}")
    return report


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
