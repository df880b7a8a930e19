"""A declared job on real Spark into a real broker, killed within its batches."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from scripts.servers.kafka import Broker

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.adapters.sinks.kafka.ledger import read_kafka_ledger
from holdfast.adapters.sinks.step_files import FOLDER, WAIT
from holdfast.audit.audit import Wishes
from holdfast.testing import Subject, assert_audit
from tests.audit.declared_project import JOB, write_project
from tests.sinks.kafka_topics import LONG, consumed, new_topic

pytestmark = [LONG, pytest.mark.server, pytest.mark.spark, pytest.mark.timeout(900)]
DEADLINE_S = 240.0


@pytest.fixture
def project(kafka: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    topic = new_topic()
    monkeypatch.setenv("KAFKA_SERVERS", kafka.address)
    monkeypatch.setenv("KAFKA_TOPIC", topic)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    file = write_project(tmp_path / "project", "kafka")
    text, one_file = file.read_text(), 'amount long", options: {maxFilesPerTrigger: 1}}'
    assert text.count('amount long"}') == 1
    file.write_text(text.replace('amount long"}', one_file))
    return file, topic


def found(topic: str) -> Counter[tuple[int, int]]:
    rows = (
        {**json.loads(key or b""), **json.loads(value or b"")} for key, value, _ in consumed(topic)
    )
    return Counter((row["id"], row["amount"]) for row in rows)


def wanted(project: Path) -> Counter[tuple[int, int]]:
    lines = [
        json.loads(line)
        for file in (project / "in").iterdir()
        for line in file.read_text().splitlines()
    ]
    return Counter((row["id"], row["amount"]) for row in lines)


def run_and_kill(file: Path, steps: Path, at: str | None, number: int = 1) -> int:
    """One life; killed when the step is announced for the n-th time. The exit code."""
    steps.mkdir()
    environ = {**os.environ, FOLDER: str(steps), WAIT: "1"}
    command = [sys.executable, "-m", "holdfast", "run", JOB, "--once", "--file", str(file)]
    with (steps.parent / "talk").open("ab") as talk:
        process = subprocess.Popen(
            command, env=environ, stdout=talk, stderr=talk, start_new_session=True
        )
    seen = 0
    deadline = time.monotonic() + DEADLINE_S
    try:
        while process.poll() is None and time.monotonic() < deadline:
            for step in sorted(steps.iterdir(), key=lambda path: path.stat().st_mtime_ns):
                seen += step.name.rpartition("-")[2] == at
                if at is not None and seen == number:
                    os.killpg(process.pid, signal.SIGKILL)
                    return process.wait()
                step.unlink()
            time.sleep(0.01)
        assert process.poll() is not None, "the job hangs"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode


def test_killed_within_its_batches_every_row_is_there_once(project: tuple[Path, str]) -> None:
    file, topic = project
    for number, (step, count) in enumerate((("mark", 1), ("committed", 2))):
        code = run_and_kill(file, file.parent / f"steps{number}", step, count)
        assert code == -signal.SIGKILL
        whole = found(topic)
        assert sum(whole.values()) in (0, 20, 40, 60), "half a batch is visible"
    assert run_and_kill(file, file.parent / "last", None) == 0
    assert found(topic) == wanted(file.parent)
    ledger = read_kafka_ledger({"servers": os.environ["KAFKA_SERVERS"], "topic": topic})
    assert [each.mark.rows for each in ledger] == [20, 20, 20]
    assert all(each.offsets for each in ledger)


@pytest.mark.skipif(gate_obstacle() is not None, reason="no gate can be had here")
def test_the_audit_copies_the_sink_and_finds_nothing(
    project: tuple[Path, str], tmp_path: Path
) -> None:
    file, topic = project
    wishes = Wishes(points=("K7", "K9"), runs=2, seed=3, run_twice=False)
    done = assert_audit(
        Subject(job=JOB, file=str(file)), wishes, folder=tmp_path / "audit", complete=False
    )
    assert done.rows == 60
    assert found(topic) == Counter(), "production was not touched"
