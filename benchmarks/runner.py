"""The runner against the same job written by hand in PySpark, in the same run and by turns.

Both write the same rows to the same kind of sink from the same files; what was written is counted
and compared in the run that is timed. Batches are timed by Spark itself (`batchDuration`).
"""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measure import HOLDFAST, Row

HERE = Path(__file__).parent
FILES = 60
LINES_PER_FILE = 20_000
RESTART_FILES = 400
FIRST_BATCHES_LEFT_OUT = 5
"""Batches in which Spark still compiles."""


def rows(repeat: int) -> Iterator[Row]:
    """Throughput and time per batch, then the time from a kill to the next commit."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=Path.home()) as folder:
        place = Path(folder)
        for sink, words in (("native", "Parquet"), ("ledger", "SQLite")):
            yield from _steady(place / sink, sink, words, max(repeat, 5))
        yield _restart(place / "restart", max(repeat, 5))


def _steady(place: Path, sink: str, words: str, rounds: int) -> Iterator[Row]:
    """One session, one job after the other: by hand, with Holdfast, by hand, …"""
    make_input(place / "in", FILES, LINES_PER_FILE)
    command = [sys.executable, str(HERE / "runner_steady.py"), str(place), sink, str(rounds)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    measured = json.loads(done.stdout.splitlines()[-1])
    expected = FILES * LINES_PER_FILE
    assert all(run["rows"] == expected for way in measured.values() for run in way), measured
    by_hand, ours = measured["by hand"], measured["holdfast"]
    loss = [1 - h["seconds"] / o["seconds"] for h, o in zip(by_hand, ours, strict=True)]
    spread = 100 * statistics.pstdev([h["seconds"] for h in by_hand]) / _mean(by_hand)
    yield Row(
        what=f"throughput lost to the runner, {words} sink",
        measured=round(100 * statistics.median(loss), 2),
        bound=0.5,
        unit="%",
        note=f"median of {rounds} pairs; runs by hand alone spread by {spread:.1f} % (1 σ)",
    )
    added = _p50(ours) - _p50(by_hand)
    yield Row(
        what=f"added time per batch at p50, {words} sink",
        measured=round(added, 1),
        bound=5.0,
        unit="ms",
        note=f"{_p50(by_hand):.0f} ms by hand, {_p50(ours):.0f} ms with Holdfast",
    )


def _restart(place: Path, rounds: int) -> Row:
    """From SIGKILL to the first new commit, against the cold start of the job by hand."""
    make_input(place / "in", RESTART_FILES, 50)
    (place / "holdfast.yaml").write_text(
        "checkpoints: ./ours\n"
        "spark: {spark.ui.enabled: false, spark.sql.shuffle.partitions: 2}\n"
        "jobs:\n"
        "  copy:\n"
        "    source: {format: json, path: ./in, schema: value long, "
        "options: {maxFilesPerTrigger: 1}}\n"
        "    sink: {kind: file, format: parquet, path: ./ours-out}\n"
    )
    by_hand = [sys.executable, str(HERE / "runner_by_hand.py"), str(place)]
    ours = [HOLDFAST, "run", "copy"]
    pairs = [
        (
            _until_commit(by_hand, place, place / "hand"),
            _until_commit(ours, place, place / "ours" / "copy"),
        )
        for _ in range(rounds)
    ]
    hand_s = statistics.median(hand for hand, _ in pairs[1:])
    ours_s = statistics.median(own for _, own in pairs[1:])
    ratios = [own / hand for hand, own in pairs[1:]]
    return Row(
        what="from SIGKILL to the next commit, against the job by hand",
        measured=round(statistics.median(ratios), 3),
        bound=1.05,
        unit="times",
        note=f"{ours_s:.2f} s against {hand_s:.2f} s; ratios {min(ratios):.2f} to "
        f"{max(ratios):.2f} in {rounds - 1} pairs",
    )


def _until_commit(command: list[str], place: Path, checkpoint: Path) -> float:
    """Start it, wait for a commit that was not there, kill it; the start is the moment zero."""
    before = _commits(checkpoint)
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=place,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while not _commits(checkpoint) - before:
            assert process.poll() is None, f"{command} ended"
            time.sleep(0.005)
        return time.perf_counter() - began
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _commits(checkpoint: Path) -> set[str]:
    folder = checkpoint / "commits"
    if not folder.exists():
        return set()
    return {name for name in os.listdir(folder) if name.isdigit()}


def make_input(folder: Path, files: int, lines: int) -> None:
    """Numbers as JSON lines, the same for both."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number in range(files):
        first = number * lines
        text = "".join(f'{{"value": {n}}}\n' for n in range(first, first + lines))
        (folder / f"{number:05d}.json").write_text(text)


def environment() -> dict[str, str]:
    """Workers of the same interpreter, loopback only."""
    return {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}


def _mean(runs: list[dict[str, float]]) -> float:
    return statistics.mean(run["seconds"] for run in runs)


def _p50(runs: list[dict[str, list[float]]]) -> float:
    return statistics.median(ms for run in runs for ms in run["batches"][FIRST_BATCHES_LEFT_OUT:])
