"""`judge` in a pipeline: one line for each finding, SARIF beside it, exit codes as ever."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from holdfast.surfaces.cli.judge import app

GOLDEN = Path(__file__).parents[1] / "golden" / "4.2.0"
SECOND_FORMAT = str(GOLDEN / "offset_log_v2" / "checkpoint")
LINE = re.compile(r"HF4\d\d (unsafe|unknown|note) (resume|replay|backfill|reset): \S.*")


def judged(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_a_line_for_each_finding_and_one_for_the_answer() -> None:
    result = judged(SECOND_FORMAT, "--goal", "resume", "--spark", "4.1.4", "--ci")
    *findings, last = result.stdout.splitlines()
    assert all(LINE.fullmatch(line) for line in findings)
    assert any(line.startswith("HF479 unsafe resume: ") for line in findings)
    assert last.startswith("unsafe resume: ")
    assert result.exit_code == 1


def test_the_spark_that_can_read_it_is_not_refused() -> None:
    result = judged(SECOND_FORMAT, "--goal", "resume", "--spark", "4.2.0", "--ci")
    assert "HF479" not in result.stdout
    assert result.exit_code == 4, "its sink was not looked at"


def test_a_version_that_is_none_is_a_mistake() -> None:
    assert judged(SECOND_FORMAT, "--spark", "newest").exit_code == 2


def test_saved_evidence_is_judged_as_it_was_taken(tmp_path: Path) -> None:
    saved = tmp_path / "evidence.json"
    saved.write_text("{}")
    result = judged(str(saved), "--spark", "4.2.0")
    assert result.exit_code == 2 and "as it was taken" in result.stderr


@pytest.fixture
def sarif(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "found" / "findings.sarif"
    result = judged(SECOND_FORMAT, "--spark", "4.1.4", "--sarif", str(path), "--output", "json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["schema"] == "holdfast/judge/1"
    log: dict[str, Any] = json.loads(path.read_text())
    return log


def test_sarif_has_what_the_standard_requires(sarif: dict[str, Any]) -> None:
    assert sarif["version"] == "2.1.0" and sarif["$schema"].startswith("https://")
    (run,) = sarif["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "holdfast" and driver["version"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(rules) == len(set(rules)) and all(
        r["shortDescription"]["text"] for r in driver["rules"]
    )
    assert run["results"]
    for result in run["results"]:
        assert result["message"]["text"]
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.startswith("file:///") and "offset_log_v2" in uri


def test_weights_become_levels(sarif: dict[str, Any]) -> None:
    results = sarif["runs"][0]["results"]
    levels = {(each["ruleId"], each["properties"]["goal"]): each["level"] for each in results}
    assert levels["HF479", "resume"] == "error"
    assert levels["HF441", "reset"] == "warning"
    assert levels["HF460", "resume"] == "note"
