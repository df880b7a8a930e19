"""`status`: what is known is said, what is not known is not guessed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.records.opening import open_records
from holdfast.core.running.lease import Holder, epoch_name, released_name, write_holder
from holdfast.core.running.ports import Records
from holdfast.core.running.run import end_name, start_name
from holdfast.errors import HoldfastError
from holdfast.flows.records.recorder import Recorder
from holdfast.flows.status import JobStatus, Target, job_status, status
from holdfast.surfaces.cli.main import app
from holdfast.surfaces.render.contract import MODELS
from tests.checkpoint_builder import CheckpointBuilder
from tests.lease.worlds import HOLDER, FakeClock, FakeMachine, elsewhere
from tests.recording.events import event
from tests.recording.made_records import begin, end, restart, take

RUNNER = CliRunner()
JOBS = """
checkpoints: ./checkpoints
jobs:
  merge-gold: {source: in, sink: out}
  raw-ingest: {source: in, sink: out2}
profiles:
  embedded:
    sources: {in: {format: rate}}
    sinks:
      out: {kind: file, format: parquet, path: ./out}
      out2: {kind: file, format: parquet, path: ./out2}
"""


@pytest.fixture
def built(tmp_path: Path) -> CheckpointBuilder:
    root = tmp_path / "checkpoints" / "merge-gold"
    return CheckpointBuilder(root).metadata().batches([0, 1])


@pytest.fixture
def records(built: CheckpointBuilder) -> Records:
    return open_records(str(built.root))


def look(built: CheckpointBuilder, machine: FakeMachine | None = None) -> JobStatus:
    target = Target(name="merge-gold", checkpoint=str(built.root), declared=True)
    return job_status(target, machine or FakeMachine())


@pytest.mark.parametrize("how", ["drained", "stopped", "failed", "refused", "fenced"])
def test_an_end_is_said_as_it_was_written(
    built: CheckpointBuilder, records: Records, how: str
) -> None:
    begin(records, 1)
    end(records, 1, how, cause="HF007 no answer")
    found = look(built)
    assert (found.status, found.epoch, found.cause) == (how, 1, "HF007 no answer")
    assert found.findings == ()


@pytest.mark.parametrize(
    ("alive", "wanted"), [(True, "running"), (False, "killed"), (None, "unknown")]
)
def test_a_holder_on_this_machine_is_asked_for(
    built: CheckpointBuilder, records: Records, alive: bool | None, wanted: str
) -> None:
    begin(records, 4)
    assert look(built, FakeMachine(alive=alive)).status == wanted


@pytest.mark.parametrize("alive", [True, False])
def test_of_a_holder_elsewhere_nothing_is_guessed(
    built: CheckpointBuilder, records: Records, alive: bool
) -> None:
    begin(records, 4)
    machine = elsewhere("b")
    machine.alive = alive
    found = look(built, machine)
    assert (found.status, found.holder_is_here, found.beats) == ("elsewhere", False, 3)
    assert found.holder == HOLDER


def test_an_unknown_place_is_elsewhere(built: CheckpointBuilder, records: Records) -> None:
    nowhere = replace(HOLDER, place="")
    begin(records, 1, nowhere)
    assert look(built, FakeMachine(holder=nowhere, alive=True)).status == "elsewhere"


def test_this_very_process_runs(built: CheckpointBuilder, records: Records) -> None:
    me: Holder = ThisMachine().me()
    begin(records, 1, me)
    target = Target(name="merge-gold", checkpoint=str(built.root), declared=True)
    assert job_status(target, ThisMachine()).status == "running"


def test_a_lease_that_was_given_back_without_an_end_is_unknown(
    built: CheckpointBuilder, records: Records
) -> None:
    begin(records, 1)
    records.create(released_name(1), write_holder(HOLDER))
    assert look(built, FakeMachine(alive=False)).status == "unknown"


def test_only_the_newest_epoch_counts(built: CheckpointBuilder, records: Records) -> None:
    begin(records, 1)
    end(records, 1, "failed")
    take(records, 2)
    found = look(built, FakeMachine(alive=True))
    assert (found.status, found.epoch) == ("running", 2)


def test_never_run(built: CheckpointBuilder, tmp_path: Path) -> None:
    found = look(built)
    assert (found.status, found.epoch, found.batches.committed) == ("never-run", None, 1)
    nowhere = Target(name="x", checkpoint=str(tmp_path / "no" / "x"), declared=True)
    found = job_status(nowhere, FakeMachine())
    assert (found.status, found.findings) == ("never-run", ())


def test_batches_come_from_the_checkpoint(built: CheckpointBuilder, records: Records) -> None:
    begin(records, 1)
    built.plan(2)
    found = look(built, FakeMachine(alive=False)).batches
    assert (found.planned, found.committed, found.in_flight) == (2, 1, 2)
    changed_ms = (built.root / "commits" / "1").stat().st_mtime_ns // 1_000_000
    assert found.committed_at_ms == {1: changed_ms}


def test_the_newest_progress_and_restarts_are_shown(
    built: CheckpointBuilder, records: Records
) -> None:
    begin(records, 1)
    restart(records, 1, 1)
    restart(records, 1, 2)
    target = Recorder(str(built.root), records, 1, monotonic=FakeClock().monotonic)
    target.note(event(0))
    target.note(event(1, rows=77))
    target.close()
    found = look(built, FakeMachine(alive=True))
    assert found.restarts == 2
    assert found.progress == event(1, rows=77)


def test_a_checkpoint_that_is_gone_is_said(built: CheckpointBuilder, records: Records) -> None:
    begin(records, 1)
    end(records, 1)
    built.root.rename(built.root.with_name("moved"))
    found = look(built)
    assert found.status == "drained"
    assert [finding.code for finding in found.findings] == ["HF131"]


@pytest.mark.parametrize(
    "bytes_", [b"", b"{", b"[]", b'{"job": 1}', b"\xff", b'{"end": "exploded"}']
)
def test_a_damaged_end_is_said_and_the_rest_is_shown(
    built: CheckpointBuilder, records: Records, bytes_: bytes
) -> None:
    begin(records, 1)
    records.create(end_name(1), bytes_)
    found = look(built, FakeMachine(alive=True))
    assert found.status == "unknown"
    assert [(f.code, f.path) for f in found.findings] == [("HF129", end_name(1))]
    assert found.batches.committed == 1


def test_a_record_with_a_field_of_another_kind_is_damaged(
    built: CheckpointBuilder, records: Records
) -> None:
    begin(records, 1)
    end(records, 1, rows="many")
    assert [finding.code for finding in look(built).findings] == ["HF129"]


def test_a_damaged_lease_is_said_and_nothing_is_guessed(
    built: CheckpointBuilder, records: Records
) -> None:
    begin(records, 1)
    records.replace(epoch_name(1), b"damaged")
    found = look(built, FakeMachine(alive=True))
    assert found.status == "unknown"
    assert [(f.code, f.path) for f in found.findings] == [("HF129", epoch_name(1))]


def test_a_damaged_start_hides_nothing(built: CheckpointBuilder, records: Records) -> None:
    begin(records, 1)
    records.replace(start_name(1), b"damaged")
    end(records, 1)
    found = look(built)
    assert found.status == "drained"
    assert [finding.code for finding in found.findings] == ["HF129"]


def test_damaged_progress_is_counted(built: CheckpointBuilder, records: Records) -> None:
    begin(records, 1)
    end(records, 1)
    records.replace("progress/00000000000000000001-00000000.jsonl", b'{"batchId":1}\n{"bat')
    found = look(built)
    assert [finding.code for finding in found.findings] == ["HF130"]
    assert found.progress == {"batchId": 1}


def test_one_store_that_gives_no_answer_hides_no_other_job(
    built: CheckpointBuilder, records: Records
) -> None:
    begin(records, 1)
    end(records, 1)
    bad = Target(name="bad", checkpoint="nothing://x/y", declared=True)
    good = Target(name="merge-gold", checkpoint=str(built.root), declared=True)
    found = status("holdfast.yaml", (bad, good), FakeMachine())
    assert [job.status for job in found.jobs] == ["unreachable", "drained"]
    assert [finding.code for finding in found.findings] == ["HF131"]
    with pytest.raises(HoldfastError):
        status("holdfast.yaml", (bad,), FakeMachine())


def test_the_command_speaks_of_every_declared_job(
    built: CheckpointBuilder, records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "holdfast.yaml").write_text(JOBS)
    monkeypatch.chdir(tmp_path)
    begin(records, 1)
    end(records, 1, "failed", cause="HF007 the broker gave no answer", code="HF007")
    done = RUNNER.invoke(app, ["status", "--output", "json"])
    assert done.exit_code == 1
    answer = json.loads(done.stdout)
    MODELS["status"].model_validate(answer)
    assert {job["job"]: job["status"] for job in answer["result"]["jobs"]} == {
        "merge-gold": "failed",
        "raw-ingest": "never-run",
    }
    text = RUNNER.invoke(app, ["status"])
    assert text.exit_code == 1
    assert "the broker gave no answer" in text.stdout
    assert "holdfast run raw-ingest" in text.stdout
    one = RUNNER.invoke(app, ["status", "raw-ingest"])
    assert one.exit_code == 0
    assert "merge-gold" not in one.stdout
    assert RUNNER.invoke(app, ["status", "nobody"]).exit_code == 2


def test_the_command_takes_a_checkpoint_without_a_declaration(
    built: CheckpointBuilder, records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begin(records, 1)
    end(records, 1)
    done = RUNNER.invoke(app, ["status", "./checkpoints/merge-gold", "--output", "json"])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["result"]["jobs"][0]["status"] == "drained"
    assert RUNNER.invoke(app, ["status"]).exit_code == 2
    assert RUNNER.invoke(app, ["status", "--watch", "--output", "json"]).exit_code == 2
