"""`history`: runs and batches, newest first, whole where they can be."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdfast.adapters.records.opening import open_records
from holdfast.core.running.ports import Records
from holdfast.core.running.run import restart_name
from holdfast.errors import HoldfastError
from holdfast.flows.history import JobHistory, history
from holdfast.flows.records.recorder import Recorder
from holdfast.flows.status import Target
from holdfast.surfaces.cli.main import app
from holdfast.surfaces.render.contract import MODELS
from tests.checkpoint_builder import CheckpointBuilder
from tests.lease.worlds import FakeClock, FakeMachine
from tests.recording.events import event, idle
from tests.recording.made_records import begin, end, restart, take

RUNNER = CliRunner()


@pytest.fixture
def built(tmp_path: Path) -> CheckpointBuilder:
    return CheckpointBuilder(tmp_path / "ck").metadata().batches(range(5))


@pytest.fixture
def records(built: CheckpointBuilder) -> Records:
    return open_records(str(built.root))


def look(built: CheckpointBuilder, *, limit: int = 20, alive: bool | None = False) -> JobHistory:
    target = Target(name=str(built.root), checkpoint=str(built.root), declared=False)
    return history(target, FakeMachine(alive=alive), limit=limit)


def record(built: CheckpointBuilder, records: Records, *batches: int) -> None:
    target = Recorder(str(built.root), records, 1, monotonic=FakeClock().monotonic)
    for batch in batches:
        target.note(event(batch))
    target.note(idle(max(batches) + 1))
    target.close()


def test_runs_come_newest_first_with_how_they_ended(
    built: CheckpointBuilder, records: Records
) -> None:
    begin(records, 1)
    end(records, 1, "stopped")
    begin(records, 2)
    begin(records, 3)
    end(records, 3, "failed", cause="HF007 no answer")
    begin(records, 4)
    found = look(built, alive=True)
    assert [(run.records.epoch, run.status) for run in found.runs] == [
        (4, "running"),
        (3, "failed"),
        (2, "killed"),
        (1, "stopped"),
    ]
    assert look(built, alive=False).runs[0].status == "killed"


def test_an_epoch_that_never_wrote_a_start_is_shown_by_its_lease(
    built: CheckpointBuilder, records: Records
) -> None:
    take(records, 1)
    [run] = look(built).runs
    assert run.status == "killed"
    assert run.holder is not None and run.holder.host == "a"


def test_restarts_inside_a_run(built: CheckpointBuilder, records: Records) -> None:
    begin(records, 1)
    for number in (1, 2, 3):
        restart(records, 1, number)
    records.replace(restart_name(1, 2), b"damaged")
    end(records, 1)
    found = look(built)
    assert len(found.runs[0].records.restarts) == 3
    assert [(f.code, f.path) for f in found.findings] == [("HF129", restart_name(1, 2))]


def test_batches_with_progress_and_without(built: CheckpointBuilder, records: Records) -> None:
    begin(records, 1)
    record(built, records, 3, 4)
    found = look(built)
    assert [batch.batch for batch in found.batches] == [4, 3, 2, 1, 0]
    assert [batch.progress is not None for batch in found.batches] == [True] * 2 + [False] * 3
    assert all(batch.committed_at_ms is not None for batch in found.batches)


def test_batches_that_spark_has_purged_are_still_known(
    built: CheckpointBuilder, records: Records
) -> None:
    begin(records, 1)
    record(built, records, 0, 1, 2, 3, 4)
    for batch in range(4):
        (built.root / "commits" / str(batch)).unlink()
    found = look(built)
    assert [batch.batch for batch in found.batches] == [4, 3, 2, 1, 0]
    assert [batch.committed_at_ms is not None for batch in found.batches] == [True] + [False] * 4


def test_the_limit_bounds_both(built: CheckpointBuilder, records: Records) -> None:
    for epoch in range(1, 6):
        begin(records, epoch)
        end(records, epoch)
    found = look(built, limit=2)
    assert [run.records.epoch for run in found.runs] == [5, 4]
    assert [batch.batch for batch in found.batches] == [4, 3]
    assert found.runs_in_all == 5


def test_a_bare_checkpoint_has_batches_and_no_runs(built: CheckpointBuilder) -> None:
    found = look(built)
    assert found.runs == ()
    assert len(found.batches) == 5


def test_nothing_at_all_is_an_error(tmp_path: Path) -> None:
    target = Target(name="x", checkpoint=str(tmp_path / "x"), declared=False)
    with pytest.raises(HoldfastError):
        history(target, FakeMachine(), limit=5)
    declared = Target(name="x", checkpoint=str(tmp_path / "x"), declared=True)
    assert history(declared, FakeMachine(), limit=5).runs == ()


def test_the_command_in_text_and_json(built: CheckpointBuilder, records: Records) -> None:
    begin(records, 1)
    restart(records, 1, 1)
    end(records, 1, "failed", cause="HF007 the broker gave no answer")
    record(built, records, 3, 4)
    done = RUNNER.invoke(app, ["history", str(built.root), "--output", "json"])
    assert done.exit_code == 0
    answer = json.loads(done.stdout)
    MODELS["history"].model_validate(answer)
    assert [batch["batch"] for batch in answer["result"]["batches"]] == [4, 3, 2, 1, 0]
    text = RUNNER.invoke(app, ["history", str(built.root), "--limit", "3"])
    assert text.exit_code == 0
    assert "restart 1" in text.stdout
    assert "nothing but its commit is known" in text.stdout
    assert RUNNER.invoke(app, ["history", str(built.root), "--limit", "0"]).exit_code == 2
