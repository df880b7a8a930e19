"""The sensor pipeline for tests: set up, run, killed for real, compared with the batch answer."""

import importlib.util
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

HOLDFAST = Path(sys.executable).with_name("holdfast")
DEADLINE_S = 600
FILES, LINES, SENSORS, SEED = 6, 200, 10, 1
"""What make_data.py makes where it is not told."""

Rows = Counter[tuple[object, ...]]
"""Every row with how often it is there. Never a set: a set hides duplicates."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    own = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    return {**os.environ, **own, **(extra or {})}


def make_project(folder: Path) -> Path:
    """What `holdfast init` writes, without data."""
    subprocess.run([str(HOLDFAST), "init", str(folder)], check=True, capture_output=True)
    return folder


def make_data(project: Path, *arguments: str) -> None:
    command = [sys.executable, "make_data.py", *arguments]
    subprocess.run(command, cwd=project, check=True, capture_output=True)


def made_lines(
    project: Path,
    *,
    files: int = FILES,
    lines: int = LINES,
    sensors: int = SENSORS,
    seed: int = SEED,
) -> list[bytes]:
    """The lines that the project's own generator makes, in order."""
    spec = importlib.util.spec_from_file_location("made_data", project / "make_data.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Sequence[Sequence[bytes]] = module.lines(seed, files, lines, sensors)
    return [line for content in made for line in content]


def start(
    project: Path, *arguments: str, extra: Mapping[str, str] | None = None
) -> "subprocess.Popen[str]":
    """`holdfast run` in a process group of its own."""
    return subprocess.Popen(
        [str(HOLDFAST), "run", "--output", "json", *arguments],
        cwd=project,
        env=environment(extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(
    project: Path, *arguments: str, extra: Mapping[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Run to the end; exit code and answer."""
    done = start(project, *arguments, extra=extra)
    try:
        output, errors = done.communicate(timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        kill(done)
        raise
    assert output, errors
    return done.returncode, json.loads(output)


def kill(process: "subprocess.Popen[str]") -> None:
    """SIGKILL to the whole group, Spark's JVM and workers with it; returns when they are gone."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def run_and_kill(
    project: Path,
    after_s: float,
    *arguments: str,
    extra: Mapping[str, str] | None = None,
) -> bool:
    """Start a run and kill it after some time; False where it had ended by then."""
    process = start(project, *arguments, extra=extra)
    try:
        # Reads what it prints, so that it never waits for a reader.
        process.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        kill(process)
        return True
    return False


def run_and_kill_in(
    project: Path,
    checkpoint: Path,
    after_s: float,
    *arguments: str,
    extra: Mapping[str, str] | None = None,
) -> bool:
    """Start a run and kill it some time after a query has planned a new batch; False if it ended.

    So a kill falls into a batch of the job that is meant, however fast the machine is.
    """
    before = planned(checkpoint)
    process = start(project, *arguments, extra=extra)
    limit = time.monotonic() + DEADLINE_S
    while time.monotonic() < limit:
        try:
            process.communicate(timeout=after_s if planned(checkpoint) - before else 0.05)
        except subprocess.TimeoutExpired:
            if planned(checkpoint) - before:
                break
        else:
            return False
    kill(process)
    return True


def planned(checkpoint: Path) -> set[str]:
    """The batches that have a plan, whole and under its own name."""
    folder = checkpoint / "offsets"
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return {name for name in names if name.isdigit()}


def moments(seed: int, count: int, first_s: float, last_s: float) -> list[float]:
    """Random moments for kills, the same for the same seed."""
    chance = random.Random(seed)
    return [chance.uniform(first_s, last_s) for _ in range(count)]


def batch_answer(lines: Iterable[bytes]) -> Rows:
    """The newest reading of each sensor, straight from the lines, without Spark and Holdfast."""
    newest: dict[str, tuple[str, int, float]] = {}
    for line in lines:
        reading = good_reading(line)
        if reading is not None:
            sensor, *rest = reading
            if sensor not in newest or tuple(rest[:2]) > newest[sensor][:2]:
                newest[sensor] = (rest[0], rest[1], rest[2])
    return Counter((sensor, seq, reading) for sensor, (_, seq, reading) in newest.items())


def good_reading(line: bytes) -> tuple[str, str, int, float] | None:
    """A reading, None where the line is none."""
    try:
        value = json.loads(line)
        sensor, at = value["sensor"], value["at"]
        sequence, reading = int(value["sequence"]), float(value["reading"])
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(sensor, str) or not isinstance(at, str):
        return None
    return sensor, at, sequence, reading


def gold(project: Path) -> Rows:
    """Gold of the embedded profile."""
    with closing(sqlite3.connect(project / "data" / "gold.db")) as connection:
        rows = connection.execute("SELECT sensor, sequence, reading FROM gold").fetchall()
    return Counter(rows)
