"""Backfills on real Spark: input that the live query never reads, into its own table, once."""

import json
import os
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.audit.declared_project import JOB, holdfast, write_project
from tests.plans.worlds import digests

pytestmark = pytest.mark.spark

TOO_OLD = 1_600_000_000 - 30 * 86_400
"""Older than the newest input by more than maxFileAge (7 days): the live query passes over it."""


def rows(project: Path) -> Counter[tuple[int, int]]:
    with sqlite3.connect(project / "out.db") as connection:
        return Counter(connection.execute("SELECT id, amount FROM t").fetchall())


def write(project: Path, name: str, first: int) -> Counter[tuple[int, int]]:
    made = [(first + place, place) for place in range(9)]
    text = "".join(f"{json.dumps({'id': key, 'amount': amount})}\n" for key, amount in made)
    (project / "in" / name).write_text(text)
    return Counter(made)


def planned(project: Path, *words: str) -> dict[str, object]:
    done = holdfast(project, "plan", "backfill", JOB, *words, "--output", "json")
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)["result"]
    return result


def test_a_file_that_was_too_old_is_there_once(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project", "sqlite-append").parent
    assert holdfast(project, "run", "--once").returncode == 0
    truth = rows(project)
    old = write(project, "late one.json", 5_000)
    os.utime(project / "in" / "late one.json", (TOO_OLD, TOO_OLD))
    assert holdfast(project, "run", "--once").returncode == 0
    assert rows(project) == truth, "the live query has read it after all"
    live = digests(project / "checkpoints" / JOB)

    words = ("--input", "in/late one.json", "-o", "plan.json")
    refused = holdfast(project, "plan", "backfill", JOB, *words)
    assert refused.returncode == 1 and "HF601" in refused.stderr
    plan = planned(project, *words, "--accept", "HF601")
    assert holdfast(project, "apply", "plan.json", "--reason", "late").returncode == 0
    name = str(plan["next_command"]).rpartition(" ")[2]
    run = holdfast(project, "run", JOB, "--backfill", name)
    assert run.returncode == 0, run.stderr
    assert rows(project) == truth + old
    assert digests(project / "checkpoints" / JOB) == live

    again = holdfast(project, "run", JOB, "--backfill", name)
    assert again.returncode != 0 and "done" in again.stderr
    fresh = write(project, "new.json", 6_000)
    assert holdfast(project, "run", "--once").returncode == 0
    assert rows(project) == truth + old + fresh


def test_what_cannot_be_filled(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project", "sqlite-append").parent
    early = holdfast(project, "plan", "backfill", JOB, "--input", "in/0.json")
    assert early.returncode == 2
    assert holdfast(project, "run", "--once").returncode == 0
    read = holdfast(project, "plan", "backfill", JOB, "--input", "in/0.json")
    assert read.returncode == 1 and "nothing is missing" in read.stderr
    for words in (("--input", "in/none.json"), ("--from-version", "1", "--to-version", "2"), ()):
        wrong = holdfast(project, "plan", "backfill", JOB, *words)
        assert wrong.returncode == 2 and "next:" in wrong.stderr, words
    nobody = holdfast(project, "run", JOB, "--backfill", f"{JOB}-00000000")
    assert nobody.returncode == 2 and "no such backfill" in nobody.stderr
