"""The right answer by a function of the user's, and outputs that have to be emptied.

The program under audit is a small one in plain Python: it is really run, killed and started again.
"""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.surfaces.cli.audit import app

JOB = Path(__file__).with_name("little_job.py")
RIGHT = [{"n": n, "batch": batch} for batch in range(3) for n in range(3)]

pytestmark = pytest.mark.skipif(
    gate_obstacle() is not None, reason=f"no gate can be had here: {gate_obstacle()}"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "queries", raising=False)
    lines = (
        f"def right(): return {RIGHT!r}",
        "def nothing(): return []",
        "def other_column(): return [{'n': 1, 'amount': 2}]",
        "def fails(): raise OSError('no batch today')",
    )
    (tmp_path / "queries.py").write_text("\n".join(lines))
    return tmp_path


def audit(mode: str, *words: str, read: str = "sqlite:{work}/o.db?table=t") -> tuple[int, Any]:
    command = f"{sys.executable} {JOB} {{work}}/checkpoint {mode} sqlite {{work}}/o.db"
    given = ["--command", command, "--checkpoint", "{work}/checkpoint", "--read", read]
    done = CliRunner().invoke(app, [*given, "--folder", "audit", "--output", "json", *words])
    return done.exit_code, json.loads(done.stdout)


def test_what_gives_the_answer_in_spite_of_every_kill_is_proven() -> None:
    code, said = audit("once", "--answer", "queries:right")
    assert (code, said["result"]["verdict"]) == (0, "proven")
    assert said["result"]["undisturbed"] is None
    assert said["result"]["killed"] == said["result"]["points"] > 10


def test_kills_that_spoil_the_answer_convict() -> None:
    code, said = audit("append", "--answer", "queries:right", "--points", "K9")
    assert (code, said["result"]["verdict"]) == (1, "convicted")
    assert said["result"]["undisturbed"] is None
    bad = [each for each in said["result"]["outcomes"] if each["outcome"] == "wrong"]
    assert bad and all(each["comparison"]["duplicated"] == 3 for each in bad)
    assert "told=" not in bad[0]["examples"][0], "columns that the answer has not are left out"


def test_an_undisturbed_run_that_is_not_the_answer_convicts_by_itself() -> None:
    code, said = audit("wrong", "--answer", "queries:right")
    result = said["result"]
    assert (code, result["verdict"], result["kills"]) == (1, "convicted", 0)
    (reason,) = result["reasons"]
    assert reason == "the undisturbed run already differs from the answer: 1 row lost"
    assert result["undisturbed"]["comparison"]["lost"] == 1
    assert result["undisturbed"]["examples"] == ["lost: batch=1, n=2"]


def test_the_text_shows_what_is_wrong_without_a_kill() -> None:
    command = f"{sys.executable} {JOB} {{work}}/checkpoint wrong sqlite {{work}}/o.db"
    given = ["--command", command, "--checkpoint", "{work}/checkpoint", "--folder", "audit"]
    given += ["--read", "sqlite:{work}/o.db?table=t", "--answer", "queries:right"]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 1
    assert "Wrong without a kill" in Path("audit/report.html").read_text()
    assert "not the answer: 1 row lost" in done.stdout and "lost: batch=1, n=2" in done.stdout


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("queries:nothing", "no rows"),
        ("queries:other_column", "columns that the output has not: amount"),
        ("queries:fails", "OSError: no batch today"),
        ("queries:not_there", "cannot be imported"),
        ("parquet:", "does not say where"),
    ],
)
def test_an_answer_that_cannot_be_is_said(answer: str, told: str) -> None:
    code, said = audit("once", "--answer", answer)
    assert code == 2 and told in said["error"]["message"]


def test_an_output_without_rows_proves_nothing() -> None:
    code, said = audit("once", read="sqlite:{work}/o.db?table=mistyped")
    assert code == 2 and "no rows after the undisturbed run" in said["error"]["message"]


# --- outputs that all trials share


FUNCTION = """
import sqlite3
from contextlib import closing
def rows():
    with closing(sqlite3.connect("shared.db")) as c:
        if c.execute("SELECT count(*) FROM sqlite_master WHERE name = 't'").fetchone() == (0,):
            return []
        return [dict(zip("bn", row)) for row in c.execute("SELECT batch, n FROM t")]
def rows_of(work):
    path = work / "o.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as c:
        if c.execute("SELECT count(*) FROM sqlite_master WHERE name = 't'").fetchone() == (0,):
            return []
        return [dict(zip("bn", row)) for row in c.execute("SELECT batch, n FROM t")]
"""


@pytest.fixture
def shared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.delitem(sys.modules, "readers", raising=False)
    (folder / "readers.py").write_text(FUNCTION)
    command = f"{sys.executable} {JOB} {{work}}/checkpoint once sqlite shared.db"
    given = ["--command", command, "--checkpoint", "{work}/checkpoint", "--read", "readers:rows"]
    return [*given, "--folder", "audit", "--output", "json"]


def test_a_shared_output_needs_a_reset(shared: list[str], folder: Path) -> None:
    done = CliRunner().invoke(app, shared)
    assert done.exit_code == 2
    assert "--reset" in json.loads(done.stdout)["error"]["next_action"]
    assert not (folder / "shared.db").exists(), "nothing was run"


def test_a_shared_output_is_emptied_before_every_trial(shared: list[str], folder: Path) -> None:
    log = folder / "resets"
    empty = f"sh -c 'rm -f shared.db; echo {{run}} {{work}} >> {log}'"
    done = CliRunner().invoke(app, [*shared, "--reset", empty, "--quick"])
    result = json.loads(done.stdout)["result"]
    assert {each["outcome"] for each in result["outcomes"]} == {"exact"}
    lines = log.read_text().splitlines()
    assert len(lines) == len(set(lines)) > 1


def test_a_reset_that_fails_or_does_nothing_is_said(shared: list[str], folder: Path) -> None:
    done = CliRunner().invoke(app, [*shared, "--reset", "sh -c 'echo no rights >&2; exit 3'"])
    assert done.exit_code == 2
    assert "ended with code 3\nno rights" in json.loads(done.stdout)["error"]["message"]
    shared[shared.index("audit")] = "another"
    done = CliRunner().invoke(app, [*shared, "--reset", "true"])
    assert done.exit_code == 1
    assert "still holds rows after --reset (9)" in json.loads(done.stdout)["error"]["message"]


def test_rows_that_are_there_already_are_not_touched(shared: list[str], folder: Path) -> None:
    with closing(sqlite3.connect("shared.db")) as connection, connection:
        connection.execute("CREATE TABLE t (batch, n)")
        connection.execute("INSERT INTO t VALUES (7, 7)")
    done = CliRunner().invoke(app, [*shared, "--reset", "true"])
    assert (
        done.exit_code == 1
        and "rows after --reset (1)" in json.loads(done.stdout)["error"]["message"]
    )
    with closing(sqlite3.connect("shared.db")) as connection:
        assert connection.execute("SELECT * FROM t").fetchall() == [(7, 7)]


def test_a_function_that_takes_the_work_folder_needs_no_reset(shared: list[str]) -> None:
    code, said = audit("once", "--quick", read="readers:rows_of")
    assert code == 4 and {e["outcome"] for e in said["result"]["outcomes"]} == {"exact"}
