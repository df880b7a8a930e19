"""The report for programs, and the command line that shows a failure again."""

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest

from holdfast.audit import begin as beginning
from holdfast.audit.begin import Subject
from holdfast.audit.scoping import job_scope, program_scope
from holdfast.audit.shell_text import shell_line
from holdfast.core.job import Job, SinkSpec, SourceSpec, TriggerSpec
from holdfast.surfaces.cli import audit as command
from holdfast.surfaces.render.audit.answer import audit_result
from holdfast.surfaces.render.contract import MODELS, json_schemas
from holdfast.surfaces.render.envelope import envelope
from tests.audit.made_up import audited, convicted, points, several_faults


@pytest.fixture(autouse=True)
def plain_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginning, "holdfast_command", lambda: "holdfast")
    # The command listens for SIGTERM, which in a process of tests is not its own.
    monkeypatch.setattr(command.signal, "signal", lambda *_given: None)


def read_by_a_shell(line: str) -> list[str]:
    """The words that bash makes of a line."""
    script = f"printf '%s\\0' {line}"
    said = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    return said.decode("utf-8", "surrogateescape").split("\0")[:-1]


def test_a_job_is_asked_for_again_by_what_was_given() -> None:
    assert Subject(job="gold").command_line == "holdfast audit gold"
    given = Subject(job="gold", file="my jobs/holdfast.yaml", profile="lake", read="parquet:/a b")
    assert given.command_line == (
        "holdfast audit gold --file 'my jobs/holdfast.yaml' --profile lake --read 'parquet:/a b'"
    )


def test_a_program_is_asked_for_again_whole() -> None:
    subject = Subject(
        command="python job.py --note 'it''s' {work}",
        checkpoint="{work}/checkpoint",
        read="sqlite:{work}/o.db?table=orders",
        key=("id", "day of week"),
        whole_batches=True,
        settle_s=10.0,
    )
    assert read_by_a_shell(subject.command_line) == [
        *("holdfast", "audit", "--command", "python job.py --note 'it''s' {work}"),
        *("--checkpoint", "{work}/checkpoint", "--read", "sqlite:{work}/o.db?table=orders"),
        *("--key", "id", "--key", "day of week", "--whole-batches", "--settle", "10"),
    ]


def test_passwords_are_hidden_in_it() -> None:
    subject = Subject(command="python job.py", read="postgres:postgresql://me:hunter22@db/x")
    assert "hunter22" not in subject.command_line
    assert "postgresql://me:***@db/x" in subject.command_line


@pytest.mark.parametrize(
    "word",
    [
        "",
        "plain",
        "two words",
        "it's",
        "a\nb",
        "tab\there",
        "\\n",
        "\x1b[0m",
        "é日\u202e",
        "\udcff7",
    ],
)
def test_a_shell_reads_back_the_same_words_from_one_line(word: str) -> None:
    line = shell_line(["x", word])
    assert line.isprintable()
    assert read_by_a_shell(line) == ["x", word]


@pytest.mark.parametrize(
    "done", [audited(), convicted(), several_faults(), audited(tried=8), audited(recorded=())]
)
def test_the_json_fits_its_contract(done: object) -> None:
    for report in ("/data/audit/1/report.html", None):
        answer = envelope("audit", "gold", audit_result(done, report), ())  # type: ignore[arg-type]
        answer = json.loads(json.dumps(answer))
        MODELS["audit"].model_validate(answer)
        jsonschema.validate(answer, json_schemas()["holdfast/audit/1"])


def test_coverage_is_one_only_where_every_point_was_killed() -> None:
    every = points(batches=500)
    assert audit_result(audited(recorded=every))["coverage"] == 1
    assert audit_result(audited(recorded=every, tried=len(every) - 1))["coverage"] < 1
    assert audit_result(audited(recorded=()))["coverage"] == 0
    assert audit_result(audited(tried=8))["coverage"] == 0.25


def test_versions_and_commands_are_in_the_json() -> None:
    assert audit_result(audited())["versions"] == {
        "holdfast": "0.1.0",
        "python": "3.12.3",
        "spark": "4.2.0",
        "java": "17.0.12",
    }
    foreign = audit_result(convicted())
    assert foreign["versions"]["spark"] is None
    assert foreign["outcomes"][9]["again"].endswith(
        f"?table=orders' --points {foreign['outcomes'][9]['name']} --seed 7"
    )


def a_job(kind: str, **options: object) -> Job:
    return Job(
        name="gold",
        source=SourceSpec(format="json", path="in", schema=None, options={}, job=None),
        transform=None,
        sink=SinkSpec(kind=kind, options=options),
        trigger=TriggerSpec(kind="available-now", interval=None),
        output_mode="append",
        checkpoint="checkpoints/gold",
    )


@pytest.mark.parametrize(
    ("job", "read", "sink"),
    [
        (a_job("sql", url="sqlite:///x.db", mode="upsert"), None, "sqlite upsert"),
        (
            a_job("sql", url="postgresql+psycopg://u:p@h/d", mode="append"),
            None,
            "postgresql append",
        ),
        (a_job("file", format="parquet"), None, "file parquet"),
        (a_job("file", format="parquet"), "parquet:/x", "file parquet, output read as parquet"),
        (a_job("delta"), None, "delta"),
    ],
)
def test_a_verdict_holds_for_the_sink_and_its_mode(job: Job, read: str | None, sink: str) -> None:
    scope = job_scope(job, read=read, environ={"PATH": ""})
    assert scope.sink == sink
    assert scope.versions.java is None
    assert scope.versions.python


def test_of_a_program_nothing_is_claimed_that_is_not_known() -> None:
    scope = program_scope("sqlite:/x?table=t")
    assert scope.sink == "output read as sqlite"
    assert (scope.versions.python, scope.versions.spark, scope.versions.java) == (None, None, None)


def test_java_is_asked_for_its_version(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.12\" 2024-07-16' >&2\n")
    java.chmod(0o755)
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    assert job_scope(a_job("delta"), read=None, environ=environ).versions.java == ("17.0.12")


@pytest.mark.parametrize("kind", ["text", "json"])
def test_the_page_is_written_into_the_folder_and_to_where_it_was_asked_for(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = audited(folder=str(tmp_path / "audit"))
    monkeypatch.setattr(command, "begin", lambda *_given, **_more: done)
    wanted = tmp_path / "pages" / "mine.html"
    with pytest.raises(SystemExit) as end:
        command.command(job="gold", html=str(wanted), output=command.Output(kind))
    assert end.value.code == 0
    own = tmp_path / "audit" / "report.html"
    assert own.read_text() == wanted.read_text()
    assert own.read_text().startswith("<!doctype html>")
    said = capsys.readouterr().out
    if kind == "json":
        assert json.loads(said)["result"]["report"] == str(wanted)
    else:
        assert said.endswith(f"report: {wanted}\n")


def test_a_page_that_cannot_be_written_does_not_hide_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "audit").write_text("a file in place of the folder")
    done = convicted()
    done = audited({}, folder=str(tmp_path / "audit"), verdict=done.verdict)
    monkeypatch.setattr(command, "begin", lambda *_given, **_more: done)
    with pytest.raises(SystemExit) as end:
        command.command(job="gold", output=command.Output.json)
    assert end.value.code == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["result"]["report"] is None
    assert "the page cannot be written" in said.err


def test_a_bad_place_for_the_page_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_given: object, **_more: object) -> None:
        raise AssertionError("it began")

    monkeypatch.setattr(command, "begin", never)
    with pytest.raises(SystemExit) as end:
        command.command(job="gold", html=str(tmp_path), output=command.Output.text)
    assert end.value.code == 2
