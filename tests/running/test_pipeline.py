"""The sensor pipeline on real Spark, killed for real: gold equals the batch answer, row by row."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

HOLDFAST = Path(sys.executable).with_name("holdfast")
KILLS = 3
DEADLINE_S = 240


def environment() -> dict[str, str]:
    return {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}


def start(project: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [str(HOLDFAST), "run", "--output", "json", *arguments],
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(project: Path, *arguments: str) -> tuple[int, dict[str, object]]:
    done = start(project, *arguments)
    output, errors = done.communicate(timeout=DEADLINE_S)
    assert output, errors
    return done.returncode, json.loads(output)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    # Not below the system's temporary folder as far as the guards can see.
    folder = tmp_path / "sensors"
    subprocess.run([str(HOLDFAST), "init", str(folder)], check=True, capture_output=True)
    subprocess.run([sys.executable, "make_data.py"], cwd=folder, check=True, capture_output=True)
    return folder


def lines_in(project: Path) -> list[str]:
    return [
        line
        for path in sorted((project / "data" / "incoming").iterdir())
        for line in path.read_text(encoding="utf-8").split("\n")
        if line
    ]


def batch_answer(project: Path) -> Counter[tuple[object, ...]]:
    """The newest reading of each sensor, straight from the input, without Spark and Holdfast."""
    newest: dict[str, tuple[str, int, float]] = {}
    for line in lines_in(project):
        try:
            value = json.loads(line)
            sensor, at = value["sensor"], value["at"]
            sequence, reading = int(value["sequence"]), float(value["reading"])
        except (ValueError, KeyError, TypeError):
            continue
        if not isinstance(sensor, str) or not isinstance(at, str):
            continue
        if sensor not in newest or (at, sequence) > newest[sensor][:2]:
            newest[sensor] = (at, sequence, reading)
    return Counter((sensor, seq, reading) for sensor, (_, seq, reading) in newest.items())


def gold(project: Path) -> Counter[tuple[object, ...]]:
    with sqlite3.connect(project / "data" / "gold.db") as connection:
        rows = connection.execute("SELECT sensor, sequence, reading FROM gold").fetchall()
    return Counter(rows)


@pytest.mark.spark
@pytest.mark.timeout(900)
def test_kills_at_random_moments_change_nothing(project: Path) -> None:
    chance = random.Random(20261115)
    for _ in range(KILLS):
        job = start(project, "--once")
        time.sleep(chance.uniform(8, 25))
        os.killpg(job.pid, signal.SIGKILL)
        job.communicate()
    code, answer = finish(project, "--once")
    assert code == 0, answer
    assert gold(project) == batch_answer(project)
    assert sum(gold(project).values()) > 0


@pytest.mark.spark
@pytest.mark.timeout(600)
def test_a_deleted_checkpoint_is_refused_and_nothing_is_written(project: Path) -> None:
    assert finish(project, "--once")[0] == 0
    before = gold(project)
    (project / "checkpoints" / "sensor-merge-gold").rename(project / "aside")
    code, answer = finish(project, "sensor-merge-gold", "--once")
    assert code == 1
    job = answer["result"]["jobs"][0]  # type: ignore[index]
    assert job["end"] == "refused" and "the checkpoint is gone" in job["cause"]
    assert gold(project) == before
