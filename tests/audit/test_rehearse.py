"""A rehearsal says beforehand what production then does, and leaves production alone."""

import json
from collections import Counter
from pathlib import Path

import pytest

from holdfast.adapters.outputs.opening import open_output
from holdfast.core.crash.table import Table
from holdfast.surfaces.render.contract import MODELS
from tests.audit.declared_project import JOB, holdfast, write_project
from tests.plans.worlds import digests

pytestmark = pytest.mark.spark

FAILING = """
def failing(rows):
    return rows.selectExpr("id", "raise_error('no') AS amount")
"""


def feed(project: Path, number: int) -> None:
    rows = "".join(f'{{"id": {number * 1000 + i}, "amount": {i}}}\n' for i in range(7))
    (project / "in" / f"late-{number}.json").write_text(rows)


def read(project: Path, spec: str) -> Table:
    table: Table = open_output(spec.format(project=project)).read()
    return table


def production(project: Path) -> dict[str, str]:
    """Everything but our records, in which nothing but a rehearsal's absence is to be seen."""
    return digests(project / "checkpoints") | {
        f"out/{name}": digest for name, digest in digests(project).items() if name.startswith("out")
    }


@pytest.mark.parametrize(
    ("sink", "spec"),
    [
        ("sqlite-append", "sqlite:{project}/out.db?table=t"),
        ("file", "spark-parquet:{project}/out"),
    ],
)
def test_what_was_rehearsed_is_what_happens(sink: str, spec: str, tmp_path: Path) -> None:
    project = write_project(tmp_path / "project", sink).parent
    assert holdfast(project, "run", "--once").returncode == 0
    feed(project, 1)
    before, old = production(project), read(project, spec)
    done = holdfast(project, "rehearse", JOB, "--output", "json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    MODELS["rehearse"].model_validate(answer)
    result = answer["result"]
    assert production(project) == before
    assert result["untouched"] and result["starts"] and not result["was_running"]
    assert [(each["batch"], each["rows_in"]) for each in result["batches"]] == [(1, 7)]
    shadow = json.loads(json.dumps(result["sample"]))
    assert result["rows"] == 7
    assert holdfast(project, "run", "--once").returncode == 0
    fresh = Counter(read(project, spec).rows) - Counter(old.rows)
    assert sum(fresh.values()) == 7
    assert not Counter(map(tuple, shadow)) - fresh


def test_code_that_fails_is_found_before_it_is_deployed(tmp_path: Path) -> None:
    file = write_project(tmp_path / "project", "sqlite-append")
    project = file.parent
    assert holdfast(project, "run", "--once").returncode == 0
    feed(project, 1)
    (project / "new_code.py").write_text(FAILING)
    file.write_text(file.read_text() + f"{' ' * 4}transform: new_code:failing\n")
    before = production(project)
    done = holdfast(project, "rehearse", JOB)
    assert done.returncode == 1
    assert "IT FAILS" in done.stdout and "untouched" in done.stdout
    assert production(project) == before


def test_a_job_that_never_ran_cannot_be_rehearsed(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project", "sqlite-append").parent
    done = holdfast(project, "rehearse", JOB)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and "next:" in done.stderr
