"""judge --against on real Spark: the same query, a changed one, and ones that cannot be had."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.spark import analysing
from holdfast.adapters.spark.analysing import analyse
from holdfast.core.fact import Known, Unreadable
from holdfast.core.running.analysis import Analysis
from holdfast.errors import NotInstalledError, UnreachableError
from holdfast.flows.evidence import Asked, take_evidence
from holdfast.flows.judge import judge
from tests.running.commands import answer
from tests.running.killing import QUICK_SPARK

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

JOB = "counts"
CHANGE_CODES = {f"HF{number}" for number in range(460, 490)}
CODE = """
from pyspark.sql import functions as F


def by_three(rows):
    return rows.groupBy((F.col("value") % 3).alias("k")).count()


def by_day(rows):
    return rows.groupBy((F.col("value") % 3).alias("k"), F.current_date().alias("day")).count()


def from_files(spark):
    rows = spark.readStream.schema("value long").json("in")
    return rows.union(rows).groupBy((F.col("value") % 3).alias("k")).count()


def broken(spark):
    raise KeyError("postgresql://me:hunter22@db/gold")


def table(spark):
    print("talk of a function, which is no part of the answer")
    return spark.range(3)
"""


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stateful job that ran once."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "in").mkdir()
    (folder / "in" / "0.json").write_text("".join(f'{{"value": {n}}}\n' for n in range(20)))
    (folder / "code_of_counts.py").write_text(CODE)
    sink = {"kind": "sql", "url": "sqlite:///./counts.db", "table": "counts", "create": True}
    job = {
        "source": {"format": "json", "path": "./in", "schema": "value long"},
        "transform": "code_of_counts:by_three",
        "sink": {**sink, "columns": "k long, count long", "mode": "upsert", "key": ["k"]},
        "output_mode": "update",
    }
    settings = {**QUICK_SPARK, "spark.sql.shuffle.partitions": "2"}
    declaration = {"checkpoints": "./checkpoints", "spark": settings, "jobs": {JOB: job}}
    (folder / "holdfast.yaml").write_text(yaml.safe_dump(declaration), encoding="utf-8")
    code, _, talk = answer(folder, "run", "--once")
    assert code == 0, talk
    return folder


def changes(project: Path, target: str, against: str | None) -> list[tuple[str, str, str]]:
    with inside(project):
        taken = take_evidence(Asked(target=target, against=against), ThisMachine())
        (verdict,) = judge(taken, "resume").verdicts
    return [(f.code, f.weight, f.message) for f in verdict.findings if f.code in CHANGE_CODES]


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_the_same_declaration_is_no_change_and_touches_nothing(project: Path) -> None:
    before = files_of(project)
    assert changes(project, JOB, "holdfast.yaml") == []
    assert files_of(project) == before


def test_the_declaration_alone_is_compared_without_spark(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.flows.next_query.analyse", None)
    assert changes(project, JOB, None) == []
    with inside(project):
        text = Path("holdfast.yaml").read_text()
        moved = text.replace("path: ./in", "path: ./other").replace("counts.db", "elsewhere.db")
        Path("moved.yaml").write_text(moved)
        taken = take_evidence(Asked(target=JOB, file="moved.yaml"), ThisMachine())
        Path("moved.yaml").unlink()
    assert isinstance(taken.next_query, Known)
    findings = judge(taken, "resume").verdicts[0].findings
    unsafe = {f.code for f in findings if f.weight == "unsafe"}
    assert unsafe & CHANGE_CODES == {"HF466", "HF476"}


def test_another_grouping_key_is_told_with_the_exact_difference(project: Path) -> None:
    (finding,) = changes(project, JOB, "code_of_counts:by_day")
    assert finding[:2] == ("HF472", "unsafe")
    assert "BIGINT] -> [" in finding[2] and ": DATE]" in finding[2]


def test_a_bare_checkpoint_against_a_function_of_a_session(project: Path) -> None:
    found = changes(project, f"./checkpoints/{JOB}", "code_of_counts:from_files")
    assert ("HF463", "unsafe", "number of sources: 1 -> 2") in found


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("code_of_counts:broken", "KeyError"),
        ("code_of_counts:missing", "AttributeError"),
        ("no_such_module:f", "ModuleNotFoundError"),
        ("code_of_counts:table", "does not stream"),
    ],
)
def test_a_plan_that_cannot_be_had_is_unknown(project: Path, function: str, reason: str) -> None:
    code, value, talk = answer(
        project, "judge", f"./checkpoints/{JOB}", "--goal", "resume", "--against", function
    )
    assert code == 4
    (finding,) = [f for f in _findings(value) if f["code"] == "HF461"]
    assert reason in finding["message"]
    assert "hunter22" not in json.dumps(value) + talk


def _findings(value: Any) -> list[dict[str, Any]]:
    findings: list[dict[str, Any]] = value["result"]["verdicts"][0]["findings"]
    return findings


def test_without_java_the_reason_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with inside(project):
        asked = Asked(target=f"./checkpoints/{JOB}", against="code_of_counts:table")
        taken = take_evidence(asked, ThisMachine())
    assert isinstance(taken.next_query, Unreadable)
    assert "Spark did not start" in taken.next_query.reason


def test_an_analysis_that_takes_too_long_is_ended(project: Path) -> None:
    with inside(project), pytest.raises(UnreachableError, match="no answer within"):
        analyse(Analysis(function="code_of_counts:table"), seconds=0.05)


def test_without_pyspark_the_line_that_installs_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(analysing, "spark_version", lambda: None)
    with pytest.raises(NotInstalledError) as caught:
        analyse(Analysis(function="a:b"))
    assert "pip install" in caught.value.next_action
