"""A stateful query that dies after the sink's commit starts again, and its state is right.

Skipping the batch without running its plan would leave no state of it: in state format 2 such a
query can never start again (SPARK: CheckpointInfo length 0).
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from tests.running.spark_sessions import lake_settings
from tests.sinks.stateful_writer import VERSIONS

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]
ROOT = Path(__file__).parent.parent.parent
NAMES = [f"{kind}{version}" for version in VERSIONS for kind in ("sql", "merged", "appended")]
FILES = ((("a", 1), ("b", 2)), (("a", 10), ("c", 3), ("a", 10)), (("a", 100), ("b", 20)))


def run(folder: Path, *more: str) -> int:
    with (folder / "talk").open("ab") as talk:
        return subprocess.run(
            [sys.executable, "-m", "tests.sinks.stateful_writer", str(folder), *more],
            cwd=ROOT,
            stdout=talk,
            stderr=talk,
            start_new_session=True,
            timeout=600,
        ).returncode


def updates() -> list[Counter[tuple[Any, ...]]]:
    """What each batch gives: the totals so far of the keys in it."""
    totals: dict[str, tuple[int, int]] = {}
    given = []
    for file in FILES:
        for key, value in file:
            total, count = totals.get(key, (0, 0))
            totals[key] = (total + value, count + 1)
        given.append(Counter((key, *totals[key]) for key in {key for key, _ in file}))
    return given


def stored(folder: Path, name: str) -> Counter[tuple[Any, ...]]:
    if name.startswith("sql"):
        with closing(sqlite3.connect(folder / f"{name}.db")) as connection:
            return Counter(connection.execute("SELECT key, total, n FROM totals").fetchall())
    rows = DeltaTable(str(folder / name)).to_pyarrow_table().to_pylist()
    return Counter((row["key"], row["total"], row["n"]) for row in rows)


def wanted(name: str, batches: int) -> Counter[tuple[Any, ...]]:
    given = updates()[:batches]
    if name.startswith("appended"):
        return sum(given, Counter())
    return Counter({row[0]: row for batch in given for row in batch}.values())


def test_killed_between_the_commit_of_the_sink_and_that_of_spark(tmp_path: Path) -> None:
    lake_settings()
    (tmp_path / "in").mkdir()
    for number, file in enumerate(FILES):
        lines = [json.dumps({"key": key, "value": value}) + "\n" for key, value in file]
        path = tmp_path / "in" / f"{number}.json"
        path.write_text("".join(lines))
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))  # the order of batches
    code = run(tmp_path, "kill")
    assert code == -signal.SIGKILL, (tmp_path / "talk").read_text()[-3000:]
    for name in NAMES:
        checkpoint = tmp_path / "checkpoints" / name
        assert (checkpoint / "offsets" / "1").exists() and not (
            checkpoint / "commits" / "1"
        ).exists()
        assert stored(tmp_path, name) == wanted(name, 2), name
    assert run(tmp_path) == 0, (tmp_path / "talk").read_text()[-3000:]
    for name in NAMES:
        commits = tmp_path / "checkpoints" / name / "commits"
        assert (commits / "2").read_text().startswith(f"v{name[-1]}")
        assert stored(tmp_path, name) == wanted(name, 3), name
