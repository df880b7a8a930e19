"""A declared job into a web server on real Spark, killed at every step, and audited."""

import os
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from holdfast.adapters.declarations.loading import load_declaration
from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.core.guards.checking import check_locations
from holdfast.testing import Subject, Wishes, assert_audit
from tests.own.chunk_server import rows_in
from tests.running.killing import QUICK_SPARK, Running, running

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]
JOB = "orders"
ALL_STEPS = ("begin", "chunk", "send", "sent", "acknowledged", "mark", "committed", "returned")
STEPS = ALL_STEPS if os.environ.get("HOLDFAST_SOAK") else ("sent", "committed")
"""Every kill is a start of Spark: without being asked for more, the two that matter most."""


def project(folder: Path, port: int, **options: Any) -> Path:
    (folder / "in").mkdir(parents=True)
    for number in range(2):
        lines = [
            f'{{"id": {n}, "tags": {{"a": {n}, "b": 1}}}}'
            for n in range(number * 5, number * 5 + 5)
        ]
        text = "".join(f"{line}\n" for line in [*lines, lines[0]])
        (folder / "in" / f"{number}.json").write_text(text)
    sink = {
        "kind": "http",
        "url": f"http://127.0.0.1:{port}/{folder}",
        "name": "orders",
        "remembers": True,
        "chunk_rows": 4,
        "headers": {"Authorization": "${env:ORDERS_KEY}"},
        "trial": {
            "url": f"http://127.0.0.1:{port}/{{folder}}",
            "read": "tests.own.chunk_server:read",
        },
        **options,
    }
    source = {"format": "json", "path": "./in", "schema": "id long, tags map<string,long>"}
    job = {"source": {**source, "options": {"maxFilesPerTrigger": 1}}, "sink": sink}
    declared = {"checkpoints": "./checkpoints", "spark": QUICK_SPARK, "jobs": {JOB: job}}
    (folder / "holdfast.yaml").write_text(yaml.safe_dump(declared))
    return folder


def wanted() -> Counter[int]:
    return Counter([*range(10), 0, 5])


def stored(folder: Path) -> Counter[int]:
    return Counter(row["id"] for row in rows_in(folder))


def killed_at(folder: Path, step: str) -> None:
    """Run until a step is reached for the first time, and kill all of it there."""
    steps = folder / "steps"
    shutil.rmtree(steps, ignore_errors=True)
    steps.mkdir()
    seen = {"HOLDFAST_STEPS": str(steps), "HOLDFAST_STEPS_WAIT": "1"}
    run = Running(folder, "--once", extra={"ORDERS_KEY": "Bearer s3cret-of-a-test", **seen})

    def reached() -> bool:
        for file in sorted(steps.iterdir(), key=lambda file: int(file.name.split("-")[1])):
            if file.name.endswith(f"-{step}"):
                return True
            file.unlink()
        return False

    try:
        run.until(reached, f"step {step}")
    finally:
        run.kill()
    assert run.process.returncode == -signal.SIGKILL
    assert "s3cret" not in run.talk + run.output


def test_killed_at_every_step_it_is_there_once(tmp_path: Path, port: int) -> None:
    folder = project(tmp_path / "project", port)
    for step in STEPS:
        killed_at(folder, step)
        assert stored(folder) <= wanted(), f"killed at {step}"
    os.environ["ORDERS_KEY"] = "Bearer s3cret-of-a-test"
    try:
        with running(folder, "--once") as run:
            assert run.end() == 0, run.talk + run.output
    finally:
        del os.environ["ORDERS_KEY"]
    assert stored(folder) == wanted()
    assert {tuple(row["tags"].items()) for row in rows_in(folder)} == {
        (("a", n), ("b", 1)) for n in range(10)
    }
    for file in (folder / "checkpoints" / "_holdfast").rglob("*"):
        assert not file.is_file() or b"s3cret" not in file.read_bytes()


@pytest.mark.skipif(gate_obstacle() is not None, reason=f"no gate: {gate_obstacle()}")
@pytest.mark.skipif(not os.environ.get("HOLDFAST_SOAK"), reason="minutes; set HOLDFAST_SOAK")
def test_an_audit_of_it_convicts_nobody(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project(tmp_path / "project", port)
    monkeypatch.setenv("ORDERS_KEY", "Bearer s3cret-of-a-test")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    wishes = Wishes(points=("K6", "K9", "K11"), run_twice=False)
    subject = Subject(job=JOB, file=str(folder / "holdfast.yaml"))
    done = assert_audit(subject, wishes, folder=tmp_path / "audit", complete=False)
    assert done.rows == wanted().total()
    assert {"K6", "K9", "K11"} == {outcome.point.stage for outcome in done.outcomes}


def test_a_target_that_forgets_is_warned_of(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", 1, remembers=False)
    declared = load_declaration(folder, environ={"ORDERS_KEY": "a secret key"})
    found = check_locations(declared, "local")
    assert [(finding.code, finding.severity) for finding in found if finding.code == "HF225"] == [
        ("HF225", "warning")
    ]
