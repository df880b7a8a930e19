"""`holdfast init` writes a project that runs."""

import ast
import json
import os
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.adapters.declarations.loading import load_declaration
from holdfast.adapters.surroundings.programs import holdfast_command, python_command
from holdfast.core.guards.checking import check_locations
from holdfast.errors import UnreachableError, UsageError
from holdfast.flows.init import TEMPLATES, init

HOLDFAST = Path(sys.executable).with_name("holdfast")
ENVIRON = {
    "KAFKA_SERVERS": "broker:9092",
    "LAKE": "s3a://lake",
    "GOLD_URL": "postgresql://user@host/sensors",
    "GOLD_PASSWORD": "never to be shown",
}
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_is_written_loads(template: str, tmp_path: Path) -> None:
    done = init(str(tmp_path / "new" / "project"), template=template)
    folder = tmp_path / "new" / "project"
    assert sorted(path.name for path in folder.iterdir()) == sorted(done.files)
    declaration = load_declaration(folder, environ=ENVIRON)
    errors = [f for f in check_locations(declaration, "local") if f.severity == "error"]
    assert errors == []
    for job in declaration.jobs:
        assert job.transform is not None
        module, _, function = job.transform.partition(":")
        tree = ast.parse((folder / f"{module}.py").read_text(encoding="utf-8"))
        assert function in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_is_written_is_tidy(template: str, tmp_path: Path) -> None:
    init(str(tmp_path), template=template)
    ruff = Path(sys.executable).with_name("ruff")
    run = subprocess.run(
        [ruff, "check", "--isolated", "--line-length=100", "--select=E,F,W,I,B,UP", tmp_path],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
    run = subprocess.run(
        [ruff, "format", "--isolated", "--line-length=100", "--check", tmp_path],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout


def test_the_jobs_of_sensors_follow_each_other(tmp_path: Path) -> None:
    init(str(tmp_path), template="sensors")
    raw, readings, gold = load_declaration(tmp_path, environ={}).jobs
    assert (raw.name, readings.source.job, gold.source.job) == (
        "sensor-raw-ingest",
        "sensor-raw-ingest",
        "sensor-deserialize",
    )
    assert raw.source.options["lineSep"] == "\n"
    assert readings.sink.options["partition_by"] == ["quarantined"]
    assert gold.sink.options["version"] == "version"


def test_the_example_is_what_init_writes(tmp_path: Path) -> None:
    """The committed copy; after a change of the template: holdfast init, over the old one."""
    done = init(str(tmp_path / "sensors"), template="sensors")
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "."],
        cwd=ROOT / "examples" / "sensors",
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(tracked.stdout.split()) == sorted(done.files)
    for name in done.files:
        written = (tmp_path / "sensors" / name).read_bytes()
        assert (ROOT / "examples" / "sensors" / name).read_bytes() == written, name


def test_the_jobs_of_sensors_are_the_same_in_both_profiles(tmp_path: Path) -> None:
    init(str(tmp_path), template="sensors")
    embedded = load_declaration(tmp_path, environ={})
    lake = load_declaration(tmp_path, profile="lake", environ=ENVIRON)
    *common, serve = lake.jobs
    assert [(job.name, job.transform) for job in embedded.jobs] == [
        (job.name, job.transform) for job in common
    ]
    assert [job.source.format for job in common] == ["kafka", "delta", "delta"]
    assert common[2].sink.options["mode"] == "upsert"
    assert (serve.name, serve.source, serve.transform) == (
        "sensor-serve-gold",
        common[2].source,
        common[2].transform,
    )
    assert (serve.sink.kind, serve.sink.options["key"]) == ("sql", ["sensor"])
    assert ENVIRON["GOLD_PASSWORD"] in lake.secrets
    assert ENVIRON["GOLD_PASSWORD"] not in repr(lake)
    assert lake.base == "s3a://lake/checkpoints"
    assert [f for f in check_locations(lake, "local") if f.severity == "error"] == []
    assert not [name for name in lake.spark if "jars" in name]


def test_data_are_made_and_made_the_same(tmp_path: Path) -> None:
    made = []
    for name in ("a", "b"):
        init(str(tmp_path / name))
        command = [sys.executable, "make_data.py", "--files", "2"]
        subprocess.run(command, cwd=tmp_path / name, check=True, capture_output=True)
        files = sorted((tmp_path / name / "data" / "incoming").iterdir())
        made.append([(path.name, path.read_bytes()) for path in files])
    assert made[0] == made[1]
    lines = [line for _, data in made[0] for line in data.splitlines()]
    good = [line for line in lines if line.startswith(b"{") and line.endswith(b"}")]
    assert len(lines) == 400
    assert len(good) < len(lines)
    assert len(set(good)) < len(good)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "holdfast.yaml").write_text("mine")
    (tmp_path / "a.py").write_text("mine")
    with pytest.raises(UsageError) as caught:
        init(str(tmp_path))
    assert caught.value.message == "the folder is not empty: a.py, holdfast.yaml"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.py", "holdfast.yaml"]
    with pytest.raises(UsageError, match=r"the folder is not empty: a\.py"):
        init(str(tmp_path / "a.py"))
    with pytest.raises(UnreachableError):
        init(str(tmp_path / "a.py" / "below"))
    with pytest.raises(UnreachableError):
        init("a\0b")


def test_an_unknown_template_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        init(str(tmp_path), template="sensor")
    assert caught.value.next_action == "did you mean 'sensors'?"


def test_the_command(tmp_path: Path) -> None:
    target = tmp_path / "my project"
    command = [str(HOLDFAST), "init", str(target)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0
    told = f"{python_command()} make_data.py && {holdfast_command()} run --once"
    assert run.stdout.endswith(f"\nnext: cd '{target}' && {told}\n")
    again = subprocess.run([*command, "--output", "json"], capture_output=True, text=True)
    assert again.returncode == 2
    assert json.loads(again.stdout)["error"]["code"] == "HF001"
    assert "the folder is not empty" in again.stderr


@pytest.mark.parametrize("command", ["show", "init"])
def test_neither_pydantic_nor_yaml_is_loaded(command: str) -> None:
    code = (
        f"import sys, holdfast.surfaces.cli.main, holdfast.surfaces.cli.{command}; "
        "sys.exit(bool({'pydantic', 'yaml', 'pyspark'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.spark
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_test_that_is_written_passes(template: str, tmp_path: Path) -> None:
    init(str(tmp_path), template=template)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_programs_are_named_so_that_the_shell_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Path(sys.executable)
    monkeypatch.setenv("PATH", str(own.parent))
    assert python_command() in ("python", "python3")
    assert holdfast_command() == "holdfast"
    # A Python of the same name in another environment may lack what ours has.
    (tmp_path / "python").symlink_to(own)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert python_command() == shlex.quote(sys.executable)
    assert holdfast_command() == shlex.quote(str(HOLDFAST))


@pytest.mark.spark
def test_what_is_printed_runs_as_it_is_printed(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path, "SPARK_LOCAL_IP": "127.0.0.1"}
    project = tmp_path / "a project"
    made = subprocess.run(
        ["holdfast", "init", project.name],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
    )
    command = made.stdout.rpartition("\nnext: ")[2].strip()
    assert command == "cd 'a project' && python make_data.py && holdfast run --once"
    run = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environ, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    connection = sqlite3.connect(project / "data" / "gold.db")
    try:
        sensors = [row[0] for row in connection.execute("SELECT sensor FROM gold")]
    finally:
        connection.close()
    assert sorted(sensors) == sorted(f"s-{number}" for number in range(10))
