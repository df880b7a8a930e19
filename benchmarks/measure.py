"""Run programs cold, time them, and watch their memory; one row of the table for each result."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

BIN = Path(sys.executable).parent
HOLDFAST = str(BIN / "holdfast")
MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line: what, how much, how much it may be, and how that compares with the alternative."""

    what: str
    measured: float
    bound: float
    unit: str
    at_least: bool = False
    note: str = ""

    @property
    def kept(self) -> bool:
        """Whether the bound holds."""
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        sign = "≥" if self.at_least else "≤"
        return (
            self.what,
            _figure(self.measured, self.unit),
            f"{sign} {_figure(self.bound, self.unit)}",
            f"{self.measured / self.bound:.2f}",
            "ok" if self.kept else "missed",
            self.note,
        )


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Several cold runs of one program."""

    median_s: float
    best_s: float
    cpu_s: float
    output: str


def timed(
    command: Sequence[str], repeat: int, env: Mapping[str, str] | None = None, given: str = ""
) -> Timing:
    """Run a program several times; the output is that of the last run, which must succeed."""
    walls: list[float] = []
    cpus: list[float] = []
    output = b""
    for _ in range(repeat):
        before = os.times()
        start = time.perf_counter()
        done = subprocess.run(
            command, capture_output=True, env=env, check=True, input=given.encode()
        )
        walls.append(time.perf_counter() - start)
        after = os.times()
        cpus.append(
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
        output = done.stdout
    return Timing(
        median_s=statistics.median(walls),
        best_s=min(walls),
        cpu_s=statistics.median(cpus),
        output=output.decode(errors="replace"),
    )


def alternately(first: Sequence[str], second: Sequence[str], repeat: int) -> tuple[Timing, Timing]:
    """Time two programs by turns, so that a busy moment of the machine hits both."""
    pairs = [(timed(first, 1), timed(second, 1)) for _ in range(repeat)]
    return _together([one for one, _ in pairs]), _together([other for _, other in pairs])


def peak_bytes(command: Sequence[str]) -> int:
    """Peak resident memory of a program and of the processes it starts, added up."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peaks: dict[int, int] = {}
    while process.poll() is None:
        for pid in (process.pid, *_children(process.pid)):
            peaks[pid] = max(peaks.get(pid, 0), _high_water(pid))
        time.sleep(0.002)
    return sum(peaks.values())


def tree_cpu_s() -> float:
    """CPU of this process and of all that it has started and they have, so far."""
    ticks, todo = 0, [os.getpid()]
    while todo:
        pid = todo.pop()
        try:
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, words[11:15]))
        todo += _children_of_all_threads(pid)
    return ticks / os.sysconf("SC_CLK_TCK")


def _children_of_all_threads(pid: int) -> list[int]:
    found: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, file.read_text().split())
        except OSError:
            continue
    return found


def _together(runs: list[Timing]) -> Timing:
    return Timing(
        median_s=statistics.median(run.median_s for run in runs),
        best_s=min(run.best_s for run in runs),
        cpu_s=statistics.median(run.cpu_s for run in runs),
        output=runs[-1].output,
    )


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in text.split()]


def _high_water(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = (line.split() for line in status.splitlines() if line.startswith("VmHWM:"))
    return next((int(words[1]) * 1024 for words in lines), 0)


def _figure(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value:.3f} s"
    if unit == "MB":
        return f"{value:.0f} MB"
    return f"{value:,.1f} {unit}" if value % 1 else f"{value:,.0f} {unit}"
