"""Bad input: a clear error with code and next action, and afterwards nothing is lost."""

import os
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.adapters.records.opening import open_records
from tests.running.commands import answer, begin, end, jobs_of

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1500)]

TRANSFORMS = """
from pyspark.sql import functions as F

def same(rows):
    return rows

def no_frame(rows):
    return "rows"

def odd(rows):
    return rows.select((F.col("value") + 1).alias("other"))
"""
HEAD = """
checkpoints: ./checkpoints
spark: {spark.ui.enabled: false, spark.sql.shuffle.partitions: 2, spark.driver.memory: 512m}
jobs:
"""
JOB = """
  {name}:
    source: {{format: json, path: {path}, schema: value long}}
    transform: {transform}
    sink:
      kind: sql
      url: sqlite:///./{name}.db
      table: numbers
      create: true
      columns: value long
"""


def declare(folder: Path, **jobs: dict[str, str]) -> None:
    parts = [
        JOB.format(name=name, **{"path": "./in", "transform": "moves:same", **changes})
        for name, changes in jobs.items()
    ]
    (folder / "holdfast.yaml").write_text(HEAD + "".join(parts))
    (folder / "moves.py").write_text(TRANSFORMS)


def feed(folder: Path, first: int, count: int = 20) -> None:
    (folder / "in").mkdir(exist_ok=True)
    text = "".join(f'{{"value": {n}}}\n' for n in range(first, first + count))
    (folder / "in" / f"{first:06d}.json").write_text(text)


def stored(folder: Path, job: str) -> Counter[int]:
    with sqlite3.connect(folder / f"{job}.db") as connection:
        return Counter(n for (n,) in connection.execute("SELECT value FROM numbers"))


def test_jobs_that_cannot_run_are_named_and_the_others_go_on(tmp_path: Path) -> None:
    feed(tmp_path, 0)
    with sqlite3.connect(tmp_path / "unfit.db") as connection:
        connection.execute("CREATE TABLE numbers (something TEXT NOT NULL)")
    good: dict[str, dict[str, str]] = {name: {} for name in ("gone", "none", "away", "unfit", "ok")}
    declare(
        tmp_path,
        gone={"transform": "nowhere:same"},
        none={"transform": "moves:no_frame"},
        away={"path": "./nothing-here"},
        unfit={},
        ok={},
    )
    code, said, talk = answer(tmp_path, "run", "--once")
    jobs = jobs_of(said)
    assert code == 1, talk
    assert {name: (job["end"], job["code"]) for name, job in jobs.items()} == {
        "gone": ("failed", "HF001"),
        "none": ("failed", "HF001"),
        "away": ("failed", "HF001"),
        "unfit": ("failed", "HF020"),
        "ok": ("drained", ""),
    }
    assert "No module named 'nowhere'" in jobs["gone"]["cause"]
    assert "gave str and not a DataFrame" in jobs["none"]["cause"]
    assert "nothing-here" in jobs["away"]["cause"]
    assert "the table has no column 'value'" in jobs["unfit"]["cause"]
    assert all(job["next_action"] for job in jobs.values() if job["end"] == "failed")

    feed(tmp_path, 100)
    with sqlite3.connect(tmp_path / "unfit.db") as connection:
        connection.execute("DROP TABLE numbers")
    declare(tmp_path, **good)
    code, said, talk = answer(tmp_path, "run", "--once")
    assert code == 0, (said, talk)
    expected = Counter([*range(20), *range(100, 120)])
    assert all(stored(tmp_path, name) == expected for name in good)


def test_a_base_that_cannot_be_written_is_said_before_spark_starts(tmp_path: Path) -> None:
    feed(tmp_path, 0)
    declare(tmp_path, ok={})
    (tmp_path / "checkpoints").write_text("a file is in the way")
    code, said, talk = answer(tmp_path, "run", "--once")
    job = jobs_of(said)["ok"]
    assert (code, job["end"], job["code"]) == (2, "refused", "HF007"), talk
    assert job["next_action"] and job["epoch"] is None


def test_a_corrupted_record_of_ours_is_refused_and_named(tmp_path: Path) -> None:
    feed(tmp_path, 0)
    declare(tmp_path, ok={})
    records = open_records(str(tmp_path / "checkpoints" / "ok"))
    records.create(f"lease/{1:020d}", b"{half a rec")
    code, said, talk = answer(tmp_path, "run", "--once")
    job = jobs_of(said)["ok"]
    assert (code, job["end"], job["code"]) == (2, "refused", "HF004"), talk
    assert "damaged" in job["cause"] and "--take-over" in job["next_action"]
    code, said, talk = answer(tmp_path, "run", "--once", "--take-over")
    assert code == 0, (said, talk)
    assert stored(tmp_path, "ok") == Counter(range(20))


def test_a_second_start_is_refused_and_names_the_first(tmp_path: Path) -> None:
    feed(tmp_path, 0)
    declare(tmp_path, ok={})
    first = begin(tmp_path, "run", "--output", "json")
    try:
        assert first.stderr is not None
        while "started, query" not in (line := first.stderr.readline()):
            assert line, "the first start ended"
        code, said, _ = answer(tmp_path, "run", "--once")
        job = jobs_of(said)["ok"]
        assert (code, job["end"], job["code"]) == (3, "refused", "HF021")
        assert f"pid {first.pid}" in job["cause"] and "since" in job["cause"]
    finally:
        first.terminate()
    code, said, _ = end(first)
    assert (code, jobs_of(said)["ok"]["end"]) == (0, "stopped")
    assert answer(tmp_path, "run", "--once")[0] == 0
    assert stored(tmp_path, "ok") == Counter(range(20))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MB; needs the right to mount."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = os.geteuid() == 0 and shutil.which("mount")
    command = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)]
    if not mounted or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("no right to mount a small disk here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_named_and_nothing_is_lost(small_disk: Path) -> None:
    feed(small_disk, 0)
    feed(small_disk, 100, 6000)
    declare(small_disk, ok={})
    filler = small_disk / "filler"
    free = os.statvfs(small_disk)
    filler.write_bytes(b"x" * (free.f_bavail * free.f_frsize - 100_000))
    code, said, talk = answer(small_disk, "run", "--once")
    job = jobs_of(said)["ok"] if "result" in said else said["error"]
    assert code in (1, 2), (said, talk)
    words = f"{job.get('cause', '')} {job.get('message', '')}".lower()
    assert "space" in words or "full" in words, words
    assert job["next_action"]
    filler.unlink()
    code, said, talk = answer(small_disk, "run", "--once")
    assert code == 0, (said, talk)
    assert stored(small_disk, "ok") == Counter([*range(20), *range(100, 6100)])
