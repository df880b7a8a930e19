"""The demo is run as a newcomer runs it: a real pipeline, really killed, held against the input."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.core.crash.comparison import Comparison, compare
from holdfast.core.demo.event import DemoEvent, KillDone, KillMissed
from holdfast.errors import NotInstalledError, UsageError
from holdfast.flows.demo import demonstrate
from holdfast.flows.demo.judging import judge
from holdfast.flows.demo.killing import Attempt, kill_in_a_batch
from holdfast.flows.demo.project import write_project
from holdfast.flows.show import show
from holdfast.surfaces.render.contract import MODELS

HOLDFAST = Path(sys.executable).with_name("holdfast")
DEADLINE_S = 60


def run_demo(*arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(HOLDFAST), "demo", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **more},
    )


def lines_in(folder: Path) -> list[bytes]:
    files = sorted((folder / "data" / "incoming").iterdir())
    return [line for file in files for line in file.read_bytes().split(b"\n")[:-1]]


def reading_of(line: bytes) -> tuple[str, str, int, float] | None:
    try:
        value = json.loads(line.decode("utf-8"))
        return (value["sensor"], value["at"], value["sequence"], value["reading"])
    except (ValueError, KeyError, TypeError):
        return None


def gold_of(folder: Path) -> Counter[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "data" / "gold.db")) as connection:
        return Counter(connection.execute("SELECT sensor, sequence, reading FROM gold").fetchall())


@pytest.mark.spark
@pytest.mark.timeout(1200)
def test_demo_kills_a_batch_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    done = run_demo("--output", "json", "--folder", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    MODELS["demo"].model_validate(answer)
    result = answer["result"]
    # The input, counted in plain Python.
    lines = lines_in(folder)
    good = [reading for reading in map(reading_of, lines) if reading is not None]
    newest = {reading[0]: reading for reading in sorted(good, key=lambda r: (r[1], r[2]))}
    assert result["rows_in"] == len(lines) > 0
    assert (result["good"], result["quarantined"]) == (len(good), len(lines) - len(good))
    assert 0 < result["quarantined"] < result["good"]
    assert gold_of(folder) == Counter((s, seq, value) for s, _, seq, value in newest.values())
    assert result["gold"]["found"] == result["gold"]["expected"] == len(newest) > 1
    assert (result["lost"], result["duplicated"], result["changed"]) == (0, 0, 0)
    assert result["proven"] is True
    # It was killed in a batch, which the next start did again.
    killed = result["killed"]["batch"]
    assert killed > 0 and result["starts"] >= 2 and result["batches_after"] >= 1
    assert f"runs batch {killed} again" in result["killed"]["restart"]
    # Killed amid its own commit, SQLite leaves a journal that only a writer may clear: not known.
    assert result["killed"]["verdict"] in ("safe", "unknown")
    after = show(result["checkpoint"]).checkpoint
    assert after.in_flight is None and after.commits.last is not None
    assert after.commits.last >= killed
    runs = folder / "checkpoints" / "_holdfast" / result["job"] / "runs"
    starts, ends = len(list(runs.glob("*.start"))), len(list(runs.glob("*.end")))
    assert (starts, ends) == (result["starts"], 1), "only the last start lived to write its end"
    assert "SIGKILL in the middle of batch" in done.stderr


ROWS = [("s-1", 1), ("s-1", 1), ("s-2", 2)]


def compared(**numbers: int) -> Comparison:
    none = {"lost": 0, "duplicated": 0, "changed": 0, "unexpected": 0}
    return Comparison(**{"expected": 3, **none, **numbers})


@pytest.mark.parametrize(
    ("found", "whole_rows", "by_key"),
    [
        (ROWS, compared(found=3), compared(found=3)),
        # As sets these are the same rows as ROWS.
        (ROWS[1:], compared(found=2, lost=1), compared(found=2, lost=1)),
        ([*ROWS, ROWS[2]], compared(found=4, duplicated=1), compared(found=4, duplicated=1)),
        (
            [ROWS[0], ROWS[2], ROWS[2]],
            compared(found=3, lost=1, duplicated=1),
            compared(found=3, lost=1, duplicated=1),
        ),
        (
            [*ROWS[:2], ("s-2", 9)],
            compared(found=3, lost=1, unexpected=1),
            compared(found=3, changed=1),
        ),
        ([*ROWS, ("s-3", 3)], compared(found=4, unexpected=1), compared(found=4, unexpected=1)),
        ([], compared(found=0, lost=3), compared(found=0, lost=3)),
    ],
)
def test_rows_are_compared_as_multisets(
    found: list[tuple[str, int]], whole_rows: Comparison, by_key: Comparison
) -> None:
    assert compare(ROWS, found) == whole_rows
    assert compare(ROWS, found, key=lambda row: row[0]) == by_key
    assert whole_rows.is_equal is by_key.is_equal is (found == ROWS)


READINGS = [["s-1", 1, 20.5, False], ["s-1", 1, 20.5, False], [None, None, None, True]]
GOLD = [("s-1", 1, 20.5, 1_000_001)]


@pytest.mark.parametrize(
    ("changes", "gold", "exact"),
    [
        ({}, GOLD, True),
        ({"readings": READINGS[1:]}, GOLD, False),
        ({"readings": [*READINGS, READINGS[0]]}, GOLD, False),
        ({"lines": 4}, GOLD, False),
        ({}, [], False),
        ({}, GOLD * 2, False),
        ({}, [("s-1", 1, 20.4, 1_000_001)], False),
        ({"lines": 0, "deserialized": [], "readings": [], "newest": []}, [], False),
    ],
)
def test_only_every_row_once_is_exact(
    changes: dict[str, Any], gold: list[tuple[Any, ...]], exact: bool
) -> None:
    answer = {"lines": 3, "deserialized": READINGS, "readings": READINGS, "newest": GOLD}
    assert judge(answer | changes, gold).is_exact is exact


WRITER = """
import sys, time
from pathlib import Path
checkpoint, batches, hold = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
for part in ("offsets", "commits"):
    (checkpoint / part).mkdir(parents=True, exist_ok=True)
(checkpoint / "metadata").write_text('{"id":"93eb31d6-0f6d-4875-a117-7c43b931ef81"}')
for batch in range(batches):
    plan = '{"batchWatermarkMs":0,"batchTimestampMs":1794932131366,"conf":{}}'
    waiting = checkpoint / "waiting"
    waiting.write_text(f'v1\\n{plan}\\n{{"logOffset":{batch}}}')
    waiting.rename(checkpoint / "offsets" / str(batch))
    time.sleep(600 if hold == str(batch) else 0.05)
    waiting.write_text('v1\\n{"nextBatchWatermarkMs":0}')
    waiting.rename(checkpoint / "commits" / str(batch))
"""


def attempt(tmp_path: Path, batches: int, hold: str) -> tuple[Attempt, list[DemoEvent]]:
    """A program that writes plans and commits as Spark does, and may stay in one batch."""
    told: list[DemoEvent] = []
    checkpoint = tmp_path / "checkpoints" / "job"

    def start(_number: int) -> ProcessGroup:
        return ProcessGroup(
            [sys.executable, "-c", WRITER, str(checkpoint), str(batches), hold],
            folder=tmp_path,
            environ=os.environ,
            output=tmp_path / "out",
            talk=tmp_path / "talk",
        )

    return kill_in_a_batch(start, checkpoint, told.append), told


def test_a_kill_hits_a_batch_that_stays(tmp_path: Path) -> None:
    tried, told = attempt(tmp_path, 50, "40")
    assert tried.kill is not None and tried.ended is None
    assert 0 < tried.kill.batch <= 40
    assert tried.kill.shown.checkpoint.in_flight == tried.kill.batch
    assert told[-1] == KillDone(batch=tried.kill.batch)
    missed = [event.batch for event in told if isinstance(event, KillMissed)]
    assert all(batch < tried.kill.batch for batch in missed)


def test_the_first_batch_is_left_alone_and_an_end_is_no_kill(tmp_path: Path) -> None:
    tried, told = attempt(tmp_path, 1, "none")
    assert tried == Attempt(starts=1, ended=0)
    assert not any(isinstance(event, KillDone) for event in told)


def test_nothing_of_a_group_outlives_it(tmp_path: Path) -> None:
    program = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    output = tmp_path / "out"
    with ProcessGroup(
        [sys.executable, "-c", program],
        folder=tmp_path,
        environ=os.environ,
        output=output,
        talk=tmp_path / "talk",
    ) as group:
        deadline = time.monotonic() + DEADLINE_S
        while not output.read_text().endswith("\n") and time.monotonic() < deadline:
            time.sleep(0.01)
        child = int(output.read_text())
    assert group.ended() == -signal.SIGKILL
    state = Path(f"/proc/{child}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_without_java_the_install_line_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    done = run_demo("--folder", str(folder), PATH=str(tmp_path), JAVA_HOME="")
    assert done.returncode == 2 and done.stdout == ""
    assert "HF008" in done.stderr and "HF501" in done.stderr
    assert "next: " in done.stderr and "install" in done.stderr.partition("next: ")[2]
    assert not folder.exists()


def test_without_pyspark_the_pip_line_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstrate, "spark_version", lambda: None)
    folder = tmp_path / "demo"
    with pytest.raises(NotInstalledError) as told:
        demonstrate.demo(str(folder), environ=os.environ)
    assert "pip install 'holdfast[spark]'" in told.value.next_action
    assert not folder.exists()


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(UsageError, match="not empty") as told:
        write_project(str(tmp_path), os.environ)
    assert "--folder" in told.value.next_action
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_each_demo_gets_a_folder_of_its_own_in_the_cache(tmp_path: Path) -> None:
    environ = {**os.environ, "HOLDFAST_CACHE": "", "XDG_CACHE_HOME": str(tmp_path)}
    folders = [write_project(None, environ).folder for _ in range(2)]
    assert folders == [tmp_path / "holdfast" / "demo" / name for name in ("1", "2")]
    assert len(lines_in(folders[0])) > 0 and lines_in(folders[0]) == lines_in(folders[1])
