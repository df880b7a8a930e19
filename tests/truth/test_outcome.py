"""Rows against the truth, and a verdict against what happened."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripts.truth.changes.catalogue import CATALOGUE
from scripts.truth.input_rows import BEFORE, LAST, ROWS, Row, expected
from scripts.truth.judging import Judgement
from scripts.truth.observation import Observation, Observations
from scripts.truth.outcome import Outcome, outcome_of
from scripts.truth.page import Line, page
from scripts.truth.workloads import HOME, VERSIONS, WORKLOADS

PLAIN = WORKLOADS["files-parquet"]
TRUTH = expected(PLAIN, "")
FINE: dict[str, Any] = {"batches": [5], "error": None}
FAILED: dict[str, Any] = {"batches": [], "error": "it failed"}


def rows(*, without: int = 0, twice: int = 0, changed: int = 0) -> list[Row]:
    whole = sorted(TRUTH.elements())
    made = whole[without:] + whole[-twice:] * bool(twice)
    return [(row[0], row[1], "wrong") for row in made[:changed]] + made[changed:]


@pytest.mark.parametrize(
    ("after", "text"),
    [
        (rows(), "started-right"),
        (rows(without=3), "lost 3"),
        (rows(twice=2), "duplicated 2"),
        (rows(changed=4), "changed 4"),
        (rows(without=3, twice=2), "lost 3, duplicated 2"),
        (None, "unreadable"),
    ],
)
def test_a_start_is_told_by_its_rows(after: list[Row] | None, text: str) -> None:
    assert str(outcome_of(PLAIN, [FINE], [], after, TRUTH, logs_moved=True)) == text


@pytest.mark.parametrize(
    ("after", "moved", "name"),
    [([], False, "refused"), ([], True, "never-starts"), (rows(), True, "wrote-then-failed")],
)
def test_a_failure_is_told_by_what_it_left(after: list[Row], moved: bool, name: str) -> None:
    assert outcome_of(PLAIN, [FAILED], [], after, TRUTH, logs_moved=moved).name == name


def test_a_failure_that_the_next_start_heals_is_no_failure() -> None:
    starts = [FAILED, FINE]
    assert outcome_of(PLAIN, starts, [], rows(), TRUTH, logs_moved=True).is_right


def test_the_oracle_knows_every_shape() -> None:
    all_ids = {str(number) for number in range((LAST + 1) * ROWS)}
    assert {row[0] for row in TRUTH} == all_ids
    assert len(expected(WORKLOADS["union-parquet"], "")) == 2 * len(all_ids)
    pairs = {row[0] for row in expected(WORKLOADS["pairs-hdfs"], "")}
    assert pairs == {str(number) for number in range(LAST * ROWS)}, "the last has no partner yet"
    windows = expected(WORKLOADS["windows-hdfs"], "")
    assert sum(int(row[2]) for row in windows) == LAST * ROWS, "the last window is still open"
    half = expected(PLAIN, "filter")
    assert len(half) == BEFORE * ROWS + (LAST + 1 - BEFORE) * ROWS // 2


def observed(outcome: Outcome, version: str = HOME) -> Observation:
    return Observation(
        version=version,
        started_with=version,
        workload="files-parquet",
        change="nothing",
        before={},
        after={},
        source_specs=[],
        starts=[FINE],
        outcome=outcome,
    )


def line(answer: str, outcome: Outcome) -> Line:
    change = next(each for each in CATALOGUE if each.name == "nothing")
    judged = Judgement(answer=answer, codes=("HF401",), message="so it is")
    return Line(found=observed(outcome), change=change, judged=judged)


RIGHT, LOST = Outcome(name="started-right"), Outcome(name="lost", lost=200)
REFUSED = Outcome(name="refused", error="no")


@pytest.mark.parametrize(
    ("answer", "outcome", "standing"),
    [
        ("safe", RIGHT, "ok"),
        ("safe", LOST, "FALSE SAFE"),
        ("safe", REFUSED, "FALSE SAFE"),
        ("unsafe", LOST, "ok"),
        ("unsafe", REFUSED, "ok"),
        ("unsafe", RIGHT, "false unsafe"),
        ("unknown", LOST, "unknown"),
        ("unknown", RIGHT, "unknown"),
    ],
)
def test_a_verdict_stands_or_falls_by_what_happened(
    answer: str, outcome: Outcome, standing: str
) -> None:
    assert line(answer, outcome).standing == standing


def test_the_page_names_what_is_false() -> None:
    other = line("unsafe", RIGHT)
    text = page([line("safe", LOST), replace(other, found=observed(RIGHT, "4.3.0"))])
    assert "| safe: lost 200 **FALSE SAFE** | unsafe: started-right *false unsafe* |" in text
    assert "| **false safe** | 1 |" in text
    assert "| nothing | files-parquet | 4.2.0 | lost 200 | HF401 |" in text


def test_observations_are_kept_and_the_newest_counts(tmp_path: Path) -> None:
    path = tmp_path / "observed.jsonl"
    kept = Observations(path)
    kept.add(observed(LOST))
    kept.add(observed(RIGHT))
    kept.add(observed(LOST, "4.3.0"))
    again = Observations(path)
    assert Counter(each.outcome.name for each in again) == {"started-right": 1, "lost": 1}
    assert observed(RIGHT).key in again
    assert "3.5.9/files-parquet/nothing" not in again


def test_there_are_changes_enough_and_each_has_a_name_of_its_own() -> None:
    names = [change.name for change in CATALOGUE]
    assert len(set(names)) == len(names) >= 120
    for change in CATALOGUE:
        assert set(change.on) <= WORKLOADS.keys(), change.name
        assert any(
            change.applies_to(workload, version)
            for workload in WORKLOADS.values()
            for version in VERSIONS
        ), change.name
