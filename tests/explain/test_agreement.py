"""With a checkpoint at hand, the explanation is held against it."""

import json
from pathlib import Path

import pytest

from holdfast.core.explain.agreement import CHECKS, agreement
from holdfast.core.pinned_conf import PARTITIONS, PROVIDER
from holdfast.flows.explain import explain
from holdfast.flows.show import show
from tests.checkpoint_builder import CheckpointBuilder
from tests.golden_cases import GOLDEN


@pytest.fixture
def builder(tmp_path: Path) -> CheckpointBuilder:
    return CheckpointBuilder(tmp_path / "checkpoint")


def said(check: str, builder: CheckpointBuilder) -> tuple[str, tuple[str, ...]]:
    answer = agreement(check, show(str(builder.root)).checkpoint)
    return answer.status, answer.findings


def golden(check: str, case: str, version: str = "4.2.0") -> str:
    found = show(str(GOLDEN / version / case / "checkpoint")).checkpoint
    return agreement(check, found).status


def test_metadata(builder: CheckpointBuilder) -> None:
    assert said("metadata", builder.batches(range(2))) == ("agrees", ("HF106",))
    assert said("metadata", builder.metadata()) == ("disagrees", ())
    assert said("metadata", builder.write("metadata", "{")) == ("agrees", ("HF101",))


def test_torn_logs(builder: CheckpointBuilder) -> None:
    assert said("torn-log", builder.metadata().batches(range(2)))[0] == "disagrees"
    assert said("torn-log", builder.write("offsets/2", "")) == ("agrees", ("HF101",))


def test_holes_and_asynchronous_gaps(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(4))
    assert said("hole", builder)[0] == "disagrees"
    (builder.root / "offsets/2").unlink()
    assert said("hole", builder) == ("agrees", ("HF110",))
    assert golden("hole", "async_progress") == "agrees"


def test_logs_that_do_not_fit(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2))
    assert said("two-writers", builder)[0] == "cannot tell"
    assert said("no-offsets", builder)[0] == said("commits-trail", builder)[0] == "disagrees"
    assert said("two-writers", builder.commit(2)) == ("agrees", ("HF107",))


def test_commits_that_trail_and_commits_alone(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(5), committed=False).commit(0)
    assert said("commits-trail", builder) == ("agrees", ("HF108",))
    for batch in range(5):
        (builder.root / f"offsets/{batch}").unlink()
    assert said("no-offsets", builder) == ("agrees", ("HF109",))


def test_versions(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2))
    assert said("newer-version", builder)[0] == "disagrees"
    assert said("newer-version", builder.write("commits/1", "v9\n{}")) == ("agrees", ("HF102",))
    assert golden("newer-version", "agg_rocksdb_format2") == "agrees"
    assert golden("newer-version", "offset_log_v2") == "agrees"
    assert golden("offset-version", "kafka") == "agrees"
    assert golden("offset-version", "named_sources") == "disagrees"
    assert golden("offset-version", "named_sources", "4.3.0") == "disagrees"


def test_a_batch_in_flight(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2))
    assert said("in-flight", builder)[0] == "disagrees"
    assert said("runs-again", builder)[0] == "cannot tell"
    assert said("committed", builder)[0] == "disagrees"
    builder.plan(2)
    assert said("in-flight", builder)[0] == said("runs-again", builder)[0] == "agrees"


def test_an_unfinished_repartitioning(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2))
    assert said("repartition", builder)[0] == "disagrees"
    assert said("repartition", builder.plan(2, conf={PARTITIONS: "2"}))[0] == "disagrees"
    assert said("repartition", builder.plan(2, conf={PARTITIONS: "3"}))[0] == "agrees"


def test_state_that_is_missing(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(3))
    assert said("state", builder)[0] == said("state-directory", builder)[0] == "agrees"
    builder.state("0/1.delta", "0/2.delta", "0/3.delta", "1/1.delta", "1/2.delta")
    assert said("state", builder) == ("agrees", ("HF111",))
    builder.state("1/3.delta")
    assert said("state", builder)[0] == said("state-directory", builder)[0] == "disagrees"
    assert said("damage", builder)[0] == "cannot tell"
    assert said("damage", builder.write("state/0/1/2.delta", b"")) == ("agrees", ("HF101",))


def test_state_format_2_with_a_batch_in_flight() -> None:
    assert golden("format-2-in-flight", "killed_stateful_format2") == "agrees"
    assert golden("format-2-in-flight", "agg_rocksdb_format2") == "disagrees"
    assert golden("format-2-in-flight", "killed_stateful") == "disagrees"
    assert golden("format-2-in-flight", "kafka") == "disagrees"


def test_a_first_start_that_finds_something(builder: CheckpointBuilder) -> None:
    name = "offsets/.0.4b41c017-66c9-4266-832e-b7bdca059b6e.tmp"
    assert said("not-empty", builder.metadata().write(name, "v1")) == ("agrees", ("HF132",))
    assert said("leftovers", builder) == ("agrees", ("HF113",))
    assert said("not-empty", builder.batches([0]))[0] == "disagrees"


def test_sources(builder: CheckpointBuilder) -> None:
    builder.metadata().batches([0])
    assert said("sources", builder)[0] == "cannot tell"
    builder.plan(1, '{"logOffset":1}', "3").commit(1)
    assert said("sources", builder) == ("agrees", ("HF117",))
    assert golden("kafka-position", "kafka") == "cannot tell"
    assert golden("kafka-position", "file_compacted") == "disagrees"
    assert golden("delta-position", "kafka") == "disagrees"
    assert golden("delta-position", "delta_source_and_sink") == "cannot tell"


def test_the_log_of_a_file_source(builder: CheckpointBuilder) -> None:
    builder.metadata().batches([0])
    assert said("source-log", builder)[0] == "cannot tell"
    for entry in ("9.compact", "10", "12"):
        builder.write(f"sources/0/{entry}", "v1")
    assert said("source-log", builder) == ("agrees", ("HF125",))


def test_what_is_pinned(builder: CheckpointBuilder) -> None:
    conf = {PARTITIONS: "5", PROVIDER: "a.b.HDFSBackedStateStoreProvider"}
    builder.metadata().plan(0, conf=conf).commit(0)
    assert said("pinned", builder)[0] == said("provider", builder)[0] == "agrees"
    assert golden("provider", "agg_rocksdb") == "disagrees"


def test_metadata_of_operators() -> None:
    assert golden("operator-metadata", "agg_rocksdb") == "disagrees"
    assert golden("operator-metadata", "agg_rocksdb", "3.5.9") == "agrees"


def test_work_and_commits(builder: CheckpointBuilder) -> None:
    builder.metadata()
    assert said("has-work", builder)[0] == "disagrees"
    assert said("committed", builder)[0] == said("no-state", builder)[0] == "agrees"
    assert said("runs-again", builder)[0] == said("maybe-torn", builder)[0] == "cannot tell"
    assert said("has-work", builder.plan(0))[0] == "agrees"


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("damage", ["empty", "torn", "sound"])
def test_no_check_fails_on_any_checkpoint(
    check: str, damage: str, builder: CheckpointBuilder
) -> None:
    builder.metadata()
    if damage != "empty":
        builder.batches(range(2)).state("0/1.delta", "0/2.delta")
    if damage == "torn":
        builder.write("offsets/1", "").write("commits/1", "v").write("metadata", "")
    answer = agreement(check, show(str(builder.root)).checkpoint)
    assert answer.says and answer.status in ("agrees", "disagrees", "cannot tell")


def test_a_code_of_ours_is_looked_for_in_the_checkpoint(builder: CheckpointBuilder) -> None:
    builder.batches(range(2))
    both = explain("HF106 HF107", checkpoint=str(builder.root))
    answers = {
        match.by: answer.status
        for match, answer in zip(both.recognised.matches, both.agreements, strict=True)
        if answer is not None
    }
    assert answers == {"HF106": "agrees", "HF107": "disagrees"}


def test_what_only_a_full_reading_finds_is_no_disagreement(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2))
    assert said("HF103", builder)[0] == said("HF128", builder)[0] == "cannot tell"
    assert said("HF107", builder)[0] == "disagrees"


def test_a_source_without_a_position_may_be_of_any_kind(builder: CheckpointBuilder) -> None:
    builder.metadata().plan(0, '{"logOffset":0}', "-").commit(0)
    assert said("kafka-position", builder)[0] == "cannot tell"


def test_what_a_checkpoint_cannot_say(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2))
    answers = explain("STDS_CONFLICT_OPTIONS", checkpoint=str(builder.root)).agreements
    assert [answer.status for answer in answers if answer] == ["cannot tell"]
    assert json.loads((builder.root / "metadata").read_text())


def test_the_rarer_answers(builder: CheckpointBuilder) -> None:
    assert said("state", builder.metadata())[0] == "cannot tell"
    builder.plan(0, '{"t":{"0":2').commit(0)
    assert said("torn-log", builder) == ("agrees", ("HF116",))
    builder.write("offsets/0", "")
    assert said("next-batch", builder)[0] == "cannot tell"


def test_state_without_a_plan_is_in_the_way(builder: CheckpointBuilder) -> None:
    assert said("not-empty", builder.metadata().state("0/1.delta", "1/1.delta"))[0] == "agrees"


def test_state_that_was_verified_is_not_damaged() -> None:
    place = str(GOLDEN / "4.2.0" / "agg_rocksdb_changelog_format2" / "checkpoint")
    answer = agreement("damage", show(place, verify=True).checkpoint)
    assert answer.status == "disagrees"
