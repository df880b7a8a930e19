"""plan resume: what keeps a start off is mended, what would lose or double rows is not."""

import json
import shutil
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.adapters.plan_file import plan_id
from holdfast.core.evidence.sink_memory import OtherWriter, missing_memory
from holdfast.core.fact import Known
from holdfast.core.plans.plan import Plan
from holdfast.core.running.run import IDENTITY, Identity, encode_record
from holdfast.errors import GuardedError, RefusedError
from holdfast.flows.operations import carrying
from holdfast.flows.operations.carrying import apply_plan, undo_operation
from holdfast.flows.operations.known_id import known_id
from holdfast.flows.operations.resume import NOTHING, plan_resume
from holdfast.flows.operations.viewing import View
from tests.golden_cases import CASES, GOLDEN, Case
from tests.plans.worlds import copied, digests, looked, stop_within

NEWEST = [case for case in CASES if case.version == "4.2.0"]
STATELESS = GOLDEN / "4.2.0" / "foreach_batch" / "checkpoint"
STATEFUL = GOLDEN / "4.2.0" / "agg_rocksdb" / "checkpoint"
FORMAT2 = GOLDEN / "4.2.0" / "agg_rocksdb_format2" / "checkpoint"


def newest(folder: Path) -> Path:
    return folder / str(max(int(p.name) for p in folder.iterdir() if p.name.isdigit()))


def remove(path: Path) -> None:
    path.unlink()
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def plan_torn(checkpoint: Path) -> None:
    """Killed by a power cut while the newest plan was written."""
    remove(newest(checkpoint / "commits"))
    path = newest(checkpoint / "offsets")
    path.write_bytes(path.read_bytes()[:40])


def plan_empty(checkpoint: Path) -> None:
    remove(newest(checkpoint / "commits"))
    newest(checkpoint / "offsets").write_bytes(b"")


def commit_torn(checkpoint: Path) -> None:
    newest(checkpoint / "commits").write_bytes(b"v")


def commit_empty(checkpoint: Path) -> None:
    newest(checkpoint / "commits").write_bytes(b"")


def older_commit_torn(checkpoint: Path) -> None:
    """A batch is in flight, and the commit of the one before it is torn."""
    remove(newest(checkpoint / "commits"))
    commit_torn(checkpoint)


def commits_ahead(checkpoint: Path) -> None:
    remove(newest(checkpoint / "offsets"))


def leftovers(checkpoint: Path) -> None:
    (checkpoint / "offsets" / f".9.{uuid.uuid4()}.tmp").write_bytes(b"v1")
    (checkpoint / "commits" / ".77.crc").write_bytes(b"crc\x00")


DAMAGES: dict[str, Callable[[Path], None]] = {
    each.__name__: each
    for each in (
        plan_torn,
        plan_empty,
        commit_torn,
        commit_empty,
        older_commit_torn,
        commits_ahead,
        leftovers,
    )
}


def resume(checkpoint: Path) -> Plan:
    return plan_resume(looked(checkpoint))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("golden", [STATELESS, STATEFUL], ids=["stateless", "stateful"])
def test_mended_and_undone(damage: str, golden: Path, tmp_path: Path) -> None:
    checkpoint = copied(golden, tmp_path)
    DAMAGES[damage](checkpoint)
    before = digests(checkpoint)
    plan = resume(checkpoint)
    assert plan.steps
    apply_plan(plan)
    seen = looked(checkpoint).taken
    assert seen.evidence.restart_kind in ("next", "rerun"), seen.evidence.restart_text
    assert seen.evidence.done_through == plan.leaves.last_batch
    assert resume(checkpoint).notes == (NOTHING,)
    undo_operation(str(checkpoint), plan_id(plan))
    assert digests(checkpoint) == before


@pytest.mark.parametrize("stop_at", [1, 2, 3])
@pytest.mark.parametrize("half", ["before", "after"])
@pytest.mark.parametrize("then", ["apply", "undo"])
def test_a_stop_at_any_step(
    stop_at: int, half: str, then: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = copied(STATEFUL, tmp_path)
    plan_torn(checkpoint)
    leftovers(checkpoint)
    before = digests(checkpoint)
    plan = resume(checkpoint)
    assert len(plan.steps) >= 3
    stop_within(plan, stop_at, half, monkeypatch)
    if then == "apply":
        assert apply_plan(plan).continued
        assert looked(checkpoint).taken.evidence.restart_kind == "next"
    undo_operation(str(checkpoint), plan_id(plan))
    assert digests(checkpoint) == before


@pytest.mark.parametrize("case", NEWEST, ids=str)
def test_sound_checkpoints_need_nothing(case: Case, tmp_path: Path) -> None:
    checkpoint = copied(case.checkpoint, tmp_path)
    try:
        plan = resume(checkpoint)
    except RefusedError:
        assert looked(checkpoint).taken.evidence.restart_kind in ("refused", "fresh")
        return
    if looked(checkpoint).taken.evidence.offsets.newest is None:
        return
    moved = {mark.name for step in plan.steps for mark in getattr(step, "files", ())}
    assert all(".tmp" in name for name in moved), moved


def test_a_first_plan_that_was_killed(tmp_path: Path) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    for log in ("offsets", "commits"):
        shutil.rmtree(checkpoint / log)
        (checkpoint / log).mkdir()
    (checkpoint / "offsets" / f".0.{uuid.uuid4()}.tmp").write_bytes(b"")
    plan = resume(checkpoint)
    apply_plan(plan)
    assert not list((checkpoint / "offsets").iterdir())
    assert plan.leaves.last_batch is None


def test_a_plan_of_a_committed_batch_is_not_made_up(tmp_path: Path) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    newest(checkpoint / "offsets").write_bytes(b"")
    with pytest.raises(RefusedError, match="is committed"):
        resume(checkpoint)


def test_plans_that_are_gone(tmp_path: Path) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    shutil.rmtree(checkpoint / "offsets")
    with pytest.raises(RefusedError, match="offsets/ is empty"):
        resume(checkpoint)


def test_a_newer_format_is_not_torn(tmp_path: Path) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    path = newest(checkpoint / "offsets")
    path.write_bytes(path.read_bytes().replace(b"v1", b"v9", 1))
    with pytest.raises(RefusedError, match="newer"):
        resume(checkpoint)


def test_state_format_2_needs_its_commit(tmp_path: Path) -> None:
    checkpoint = copied(FORMAT2, tmp_path)
    older_commit_torn(checkpoint)
    with pytest.raises(RefusedError, match="which state files count"):
        resume(checkpoint)


@pytest.mark.parametrize(("sinks", "code"), [((), "HF603"), (("none",), "HF601")])
def test_what_is_unsafe_has_to_be_accepted(
    sinks: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    commit_torn(checkpoint)
    with pytest.raises(GuardedError) as met:
        plan_resume(looked(checkpoint, sinks=sinks, accept=("HF610",)))
    assert met.value.code == code


def test_a_checksum_that_differs_has_to_be_accepted(tmp_path: Path) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    path = newest(checkpoint / "offsets")
    path.write_bytes(path.read_bytes().replace(b'"batchTimestampMs":1', b'"batchTimestampMs":2'))
    with pytest.raises(GuardedError) as met:
        plan_resume(looked(checkpoint, accept=()))
    assert met.value.code == "HF610"
    plan = resume(checkpoint)
    assert [mark.name for mark in plan.steps[0].files] == [  # type: ignore[union-attr]
        f"offsets/.{path.name}.crc"
    ]


def test_an_id_that_nobody_knows_is_not_made_up(tmp_path: Path) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    remove(checkpoint / "metadata")
    with pytest.raises(RefusedError, match="neither our records nor the sink"):
        resume(checkpoint)


def lost_id(checkpoint: Path) -> str:
    query_id: str = json.loads((checkpoint / "metadata").read_text())["id"]
    remove(checkpoint / "metadata")
    return query_id


def test_an_id_that_our_records_know(tmp_path: Path) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    original = (checkpoint / "metadata").read_bytes()
    query_id = lost_id(checkpoint)
    identity = Identity(job="job", query_id=query_id, checkpoint=str(checkpoint))
    with carrying._held(str(checkpoint), "") as (records, _):
        records.create(IDENTITY, encode_record(identity))
    before = digests(checkpoint)
    plan = resume(checkpoint)
    apply_plan(plan)
    assert (checkpoint / "metadata").read_bytes() == original
    assert plan.leaves.query_id == query_id
    undo_operation(str(checkpoint), plan_id(plan))
    assert digests(checkpoint) == before


def remembering(view: View, *writers: OtherWriter) -> View:
    memory = missing_memory("sql", "sql", "checked", "")
    evidence = replace(view.taken.evidence, sinks=(replace(memory, others=writers),))
    return replace(view, taken=replace(view.taken, evidence=evidence))


def test_an_id_that_only_the_sink_knows(tmp_path: Path) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    query_id = lost_id(checkpoint)
    last = int(newest(checkpoint / "commits").name)
    seen = looked(checkpoint)
    mine, other = (OtherWriter(key=key, last=last) for key in (query_id, str(uuid.uuid4())))
    behind = OtherWriter(key=str(uuid.uuid4()), last=last + 40)
    assert known_id(remembering(seen, mine, behind)) == (query_id, "sql")
    with pytest.raises(RefusedError, match="more than one"):
        known_id(remembering(seen, mine, other))
    with pytest.raises(RefusedError, match="neither"):
        known_id(remembering(seen, behind))


def test_a_sink_that_holds_the_batch_keeps_a_torn_plan_from_being_planned_anew(
    tmp_path: Path,
) -> None:
    checkpoint = copied(STATELESS, tmp_path)
    plan_torn(checkpoint)
    torn = int(newest(checkpoint / "offsets").name)
    seen = remembering(looked(checkpoint))
    (memory,) = seen.taken.evidence.sinks
    for last, refused in ((torn, True), (torn - 1, False)):
        evidence = replace(
            seen.taken.evidence, sinks=(replace(memory, last=Known(last, "ledger")),)
        )
        view = replace(seen, taken=replace(seen.taken, evidence=evidence))
        if refused:
            with pytest.raises(RefusedError, match="lost without an error"):
                plan_resume(view)
        else:
            assert plan_resume(view).steps
