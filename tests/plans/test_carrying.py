"""Plans are carried out exactly, gone on with after a stop, and undone byte for byte."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.adapters.plan_file import encode_plan, plan_id, read_plan, write_plan
from holdfast.core.plans.plan import Plan
from holdfast.errors import (
    HoldfastError,
    LeaseHeldError,
    MalformedError,
    NewerVersionError,
    RefusedError,
    StalePlanError,
)
from holdfast.flows.journal import read_journal
from holdfast.flows.operations import carrying
from holdfast.flows.operations.carrying import apply_plan, undo_operation
from tests.golden_cases import CASES, GOLDEN, Case
from tests.plans.worlds import copied, digests, newest_replay, retry, stop_within

NEWEST = [case for case in CASES if case.version == "4.2.0"]
STATELESS = GOLDEN / "4.2.0" / "foreach_batch" / "checkpoint"
STATEFUL = GOLDEN / "4.2.0" / "agg_rocksdb" / "checkpoint"


def plans(case: Case, checkpoint: Path) -> Iterator[Plan]:
    yield from (plan for plan in (newest_replay(checkpoint), retry(checkpoint)) if plan)


@pytest.mark.parametrize("case", NEWEST, ids=str)
def test_undo_and_undo_of_undo(case: Case, tmp_path: Path) -> None:
    checkpoint = copied(case.checkpoint, tmp_path)
    before = digests(checkpoint)
    for plan in plans(case, checkpoint):
        # Each plan is made from what is there, and the first one moved the lease.
        again = newest_replay(checkpoint) if plan.operation == "replay" else retry(checkpoint)
        assert again is not None
        apply_plan(again)
        after = digests(checkpoint)
        assert after != before
        operation = plan_id(again)
        assert undo_operation(str(checkpoint), operation).direction == "undo"
        assert digests(checkpoint) == before
        assert undo_operation(str(checkpoint), operation).steps == ()
        assert digests(checkpoint) == before
        assert undo_operation(str(checkpoint), operation, again=True).direction == "do"
        assert digests(checkpoint) == after
        undo_operation(str(checkpoint), operation)
        assert digests(checkpoint) == before


def test_the_sweep_has_something_to_undo(tmp_path: Path) -> None:
    made = [
        case
        for number, case in enumerate(NEWEST)
        if newest_replay(copied(case.checkpoint, tmp_path / str(number)))
    ]
    assert len(made) >= 30


@pytest.fixture(params=[STATELESS, STATEFUL], ids=["stateless", "stateful"])
def checkpoint(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return copied(request.param, tmp_path)


def replay_of(checkpoint: Path) -> Plan:
    plan = newest_replay(checkpoint)
    assert plan is not None
    return plan


@pytest.mark.parametrize("stop_at", [1, 2, 3, 4])
@pytest.mark.parametrize("half", ["before", "after"])
@pytest.mark.parametrize("then", ["apply", "undo"])
def test_a_stop_at_any_step(
    checkpoint: Path, stop_at: int, half: str, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replay_of(checkpoint)
    stop_at = min(stop_at, len(plan.steps))
    before = digests(checkpoint)
    stop_within(plan, stop_at, half, monkeypatch)
    records = carrying.open_records(str(checkpoint))
    assert read_journal(records).open == plan_id(plan)
    if then == "undo":
        undo_operation(str(checkpoint), plan_id(plan))
        assert digests(checkpoint) == before
    else:
        carried = apply_plan(plan)
        assert carried.continued
        assert len(carried.steps) == len(plan.steps) - stop_at + 1
    assert read_journal(records).open is None


def test_an_open_operation_keeps_others_out(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, other = replay_of(checkpoint), retry(checkpoint)
    assert other is not None

    def failing(*arguments: object) -> None:
        raise RefusedError("stopped")

    monkeypatch.setattr(carrying, "carry_out", failing)
    with pytest.raises(RefusedError):
        apply_plan(plan)
    with pytest.raises(RefusedError, match="stopped half-way"):
        apply_plan(other)


def test_a_plan_is_carried_out_once(checkpoint: Path) -> None:
    plan = replay_of(checkpoint)
    apply_plan(plan)
    after = digests(checkpoint)
    with pytest.raises(StalePlanError, match="already"):
        apply_plan(plan)
    assert digests(checkpoint) == after


def test_a_batch_since_makes_it_stale(checkpoint: Path) -> None:
    plan = replay_of(checkpoint)
    newest = max(int(p.name) for p in (checkpoint / "offsets").iterdir() if p.name.isdigit())
    data = (checkpoint / "offsets" / str(newest)).read_bytes()
    (checkpoint / "offsets" / str(newest + 1)).write_bytes(data)
    before = digests(checkpoint)
    with pytest.raises(StalePlanError, match="offsets/"):
        apply_plan(plan)
    assert digests(checkpoint) == before


def test_a_file_altered_between_two_steps_stops_it_with_a_way_back(tmp_path: Path) -> None:
    checkpoint = copied(STATEFUL, tmp_path)
    plan = replay_of(checkpoint)
    moved = plan.steps[-1].files[0].name  # type: ignore[union-attr]
    (checkpoint / moved).write_bytes(b"other")
    with pytest.raises(StalePlanError, match="neither"):
        apply_plan(plan)
    assert (checkpoint / moved).read_bytes() == b"other"


def test_somebody_else_holds_it(checkpoint: Path) -> None:
    plan = replay_of(checkpoint)
    before = digests(checkpoint)
    with carrying._held(str(checkpoint), ""), pytest.raises(HoldfastError) as met:
        apply_plan(plan)
    assert isinstance(met.value, LeaseHeldError) or "held" in met.value.message
    assert digests(checkpoint) == before


def test_an_edited_plan_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(replay_of(checkpoint), str(path))
    assert plan_id(read_plan(str(path))) == json.loads(path.read_text())["id"]
    path.write_text(path.read_text().replace("count", "kount").replace('"says": "', '"says": "x'))
    with pytest.raises(MalformedError, match="changed after"):
        read_plan(str(path))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"plan": []}', "\x00"])
def test_what_is_no_plan(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(MalformedError):
        read_plan(str(path))


def test_a_plan_of_another_format(checkpoint: Path, tmp_path: Path) -> None:
    file = json.loads(encode_plan(replay_of(checkpoint)))
    file["plan"]["format"] = 2
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(file))
    with pytest.raises(NewerVersionError):
        read_plan(str(path))


def test_planning_touches_nothing(checkpoint: Path) -> None:
    before = digests(checkpoint.parent)
    replay_of(checkpoint)
    retry(checkpoint)
    assert digests(checkpoint.parent) == before


def test_what_a_query_has_used_since_is_not_undone(checkpoint: Path) -> None:
    plan = replay_of(checkpoint)
    apply_plan(plan)
    last = plan.leaves.last_batch
    assert last is not None
    commit = (checkpoint / "commits" / str(last)).read_bytes()
    (checkpoint / "commits" / str(last + 1)).write_bytes(commit)
    after = digests(checkpoint)
    with pytest.raises(StalePlanError, match="a query has run since"):
        undo_operation(str(checkpoint), plan_id(plan))
    assert digests(checkpoint) == after
    assert read_journal(carrying.open_records(str(checkpoint))).open is None
