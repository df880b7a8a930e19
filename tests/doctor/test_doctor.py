"""`holdfast doctor`, whole: with a declaration, without one, and with a broken one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.core.doctor.check import Diagnosis
from holdfast.errors import UsageError
from holdfast.flows.doctor import doctor
from holdfast.flows.init import init
from holdfast.surfaces.render.contract import MODELS
from holdfast.surfaces.render.doctor_json import doctor_result
from holdfast.surfaces.render.doctor_text import print_doctor
from holdfast.surfaces.render.envelope import envelope

HOLDFAST = Path(sys.executable).with_name("holdfast")
SECRET = "tr0ub4dor-and-3"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n")
    java.chmod(0o755)
    return {"PATH": str(java.parent), "HOLDFAST_CACHE": str(tmp_path / "cache")}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def codes(diagnosis: Diagnosis) -> set[str]:
    return {check.code for check in diagnosis.checks if check.code}


def found(diagnosis: Diagnosis, name: str) -> str:
    return " ".join(f"{c.subject} {c.found}" for c in diagnosis.checks if c.name == name)


def whole_text(diagnosis: Diagnosis, capsys: pytest.CaptureFixture[str]) -> str:
    print_doctor(diagnosis)
    return capsys.readouterr().out + json.dumps(doctor_result(diagnosis))


def test_a_machine_without_a_declaration(here: Path, environ: dict[str, str]) -> None:
    diagnosis = doctor(None, environ=environ)
    assert diagnosis.target == "machine"
    assert codes(diagnosis) == set()
    assert "there is no holdfast.yaml here" in found(diagnosis, "declaration")
    assert codes(doctor(None, environ={"PATH": ""})) == {"HF501"}


def test_a_fresh_project_is_fine_and_stays_as_it_is(here: Path, environ: dict[str, str]) -> None:
    init(".")
    before = sorted(path.name for path in here.rglob("*"))
    diagnosis = doctor(None, environ=environ)
    assert (diagnosis.target, diagnosis.profile) == ("holdfast.yaml", "embedded")
    assert codes(diagnosis) == set()
    assert "sensor-merge-gold" in found(diagnosis, "sqlalchemy")
    assert str(here / "checkpoints") in found(diagnosis, "base")
    assert sorted(path.name for path in here.rglob("*")) == before


def test_variables_that_are_not_set_are_all_named_and_nothing_is_written(
    here: Path, environ: dict[str, str]
) -> None:
    init(".", template="kafka-delta")
    diagnosis = doctor(".", environ=environ)
    assert codes(diagnosis) == {"HF514"}
    assert {"LAKE", "KAFKA_SERVERS"} < set(found(diagnosis, "variables").replace(",", "").split())
    (base,) = (check for check in diagnosis.checks if check.name == "base")
    assert (base.status, base.subject) == ("skipped", "${env:LAKE}/checkpoints")
    assert not list(here.rglob("*unset*"))


DECLARATION = """
checkpoints: ${env:BASE}/checkpoints
spark: {spark.master: "spark://127.0.0.1:1", spark.pyspark.python: "${env:PYTHON}"}
jobs:
  orders:
    source: {format: kafka, options: {kafka.bootstrap.servers: "a:1", subscribe: t}}
    transform: orders:with_pandas
    sink: {kind: delta, path: ./data}
"""


def test_secrets_reach_no_output(
    here: Path, environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("holdfast.yaml").write_text(DECLARATION)
    Path("orders.py").write_text("import pandas\n")
    (here / SECRET).write_text("a file, so that no base can be made here")
    environ |= {"BASE": str(here / SECRET), "PYTHON": f"/no/{SECRET}/python"}
    diagnosis = doctor(None, environ=environ)
    # The master is another machine's, and so is the Python of its workers.
    assert codes(diagnosis) == {"HF508", "HF511", "HF516"}
    text = whole_text(diagnosis, capsys)
    assert "${env:BASE}/checkpoints" in text
    assert "${env:PYTHON}" in text
    assert SECRET not in text


def test_pandas_counts_only_where_a_transform_mentions_it(
    here: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("holdfast.yaml").write_text(DECLARATION)
    environ |= {"BASE": str(here), "PYTHON": "python3"}
    monkeypatch.setattr("holdfast.flows.doctor.version_of", lambda name: None)
    assert "HF505" not in codes(doctor(None, environ=environ))
    Path("orders.py").write_text("from pyspark.sql.functions import pandas_udf\n")
    diagnosis = doctor(None, environ=environ)
    assert "HF505" in codes(diagnosis)
    assert "orders not installed" in found(diagnosis, "pandas")
    assert "orders not installed" in found(diagnosis, "pyarrow")


def test_a_declaration_that_is_wrong_does_not_hide_the_rest(
    here: Path, environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("holdfast.yaml").write_text(DECLARATION.replace("kind: delta", "kind: dleta"))
    diagnosis = doctor(None, environ={**environ, "PATH": ""})
    assert codes(diagnosis) == {"HF501", "HF514", "HF515"}
    assert "did you mean 'delta'?" in found(diagnosis, "declaration")
    assert "Jobs of holdfast.yaml would not run: 3 errors" in whole_text(diagnosis, capsys)
    Path("holdfast.yaml").write_text("jobs: [")
    assert codes(doctor(None, environ=environ)) == {"HF515"}
    Path("holdfast.yaml").write_text(DECLARATION)
    asked = doctor(None, profile="nope", environ=environ)
    assert "HF515" in codes(asked)


def test_what_cannot_be_looked_at_is_refused(here: Path, environ: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="there is no declaration at this path"):
        doctor("nowhere.yaml", environ=environ)
    with pytest.raises(UsageError, match="a profile is one of a declaration"):
        doctor(None, profile="lake", environ=environ)


def test_the_answer_fits_its_contract(here: Path, environ: dict[str, str]) -> None:
    init(".", template="kafka-delta")
    diagnosis = doctor(None, environ=environ)
    answer = envelope("doctor", diagnosis.target, doctor_result(diagnosis))
    MODELS["doctor"].model_validate(json.loads(json.dumps(answer)))
    counts = answer["result"]["counts"]
    assert sum(counts.values()) == len(diagnosis.checks)
    assert counts["error"] == 1


def ask(folder: Path, *arguments: str, path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(HOLDFAST), "doctor", *arguments],
        cwd=folder,
        env={"PATH": path, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )


def test_the_command(here: Path, environ: dict[str, str]) -> None:
    good = ask(here, path=environ["PATH"])
    assert (good.returncode, good.stderr) == (0, "")
    assert "Nothing found that would keep jobs from running" in good.stdout
    bad = ask(here, "--output", "json", path="/nonexistent")
    assert bad.returncode == 1
    answer = json.loads(bad.stdout)
    assert answer["schema"] == "holdfast/doctor/1"
    assert [c["code"] for c in answer["result"]["checks"] if c["status"] == "error"] == ["HF501"]
    none = ask(here, "--file", "nowhere.yaml", path=environ["PATH"])
    assert none.returncode == 2
    assert none.stderr.startswith("holdfast: HF001 there is no declaration at this path")


def test_pyspark_is_not_loaded() -> None:
    code = (
        "import sys, holdfast.flows.doctor as d; d.doctor(None, environ={'PATH': ''}); "
        "sys.exit('pyspark' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
