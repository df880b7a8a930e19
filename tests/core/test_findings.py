"""Each thing that can be wrong with a checkpoint is said, with its code and its path."""

import os
from pathlib import Path

import pytest

from holdfast.core.finding import CODES
from holdfast.errors import NotACheckpointError, UsageError
from holdfast.flows.show import Shown, show
from tests.checkpoint_builder import CheckpointBuilder

UUID = "4b41c017-66c9-4266-832e-b7bdca059b6e"


@pytest.fixture
def builder(tmp_path: Path) -> CheckpointBuilder:
    return CheckpointBuilder(tmp_path / "checkpoint")


def looked(builder: CheckpointBuilder) -> tuple[Shown, dict[str, str]]:
    shown = show(str(builder.root))
    return shown, {f.code: f.path for f in shown.checkpoint.warnings}


def test_a_sound_checkpoint_without_checksums_is_only_called_unverified(
    builder: CheckpointBuilder,
) -> None:
    shown, codes = looked(builder.metadata().batches(range(3)))
    assert codes == {"HF105": ""}
    assert {check.status for check in shown.checkpoint.checks.values()} == {"unverified"}


def test_missing_metadata(builder: CheckpointBuilder) -> None:
    shown, codes = looked(builder.batches(range(2)))
    assert codes["HF106"] == "metadata"
    assert shown.checkpoint.restart.batch == 2


def test_unreadable_newest_plan_refuses_a_restart(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2)).write("offsets/2", "")
    shown, codes = looked(builder)
    assert codes["HF101"] == "offsets/2"
    assert (shown.checkpoint.restart.kind, shown.checkpoint.in_flight) == ("refused", 2)


def test_newer_format_is_said_to_be_newer(builder: CheckpointBuilder) -> None:
    _, codes = looked(builder.metadata().batches(range(2)).write("commits/1", "v9\n{}"))
    assert codes["HF102"] == "commits/1"


def test_a_first_plan_that_was_cut_off(builder: CheckpointBuilder) -> None:
    name = f"offsets/.0.{UUID}.tmp"
    shown, codes = looked(builder.metadata().write(name, "v1"))
    assert codes["HF132"] == codes["HF113"] == name
    assert (shown.checkpoint.restart.kind, shown.checkpoint.in_flight) == ("refused", None)
    said = [found.message for found in shown.checkpoint.warnings if found.code == "HF113"]
    assert said == ["1 temporary file of unfinished writes"]
    _, codes = looked(builder.batches([0]))
    assert "HF132" not in codes and codes["HF113"] == name


def test_what_is_left_of_a_first_commit(builder: CheckpointBuilder) -> None:
    name = f"commits/.0.{UUID}.tmp"
    shown, codes = looked(builder.metadata().write(name, "v1"))
    assert codes["HF133"] == codes["HF113"] == name
    assert (shown.checkpoint.restart.kind, shown.checkpoint.in_flight) == ("refused", None)
    _, codes = looked(builder.batches([0]))
    assert "HF133" not in codes


def test_gap_in_the_middle(builder: CheckpointBuilder) -> None:
    _, codes = looked(builder.metadata().batches([0, 1, 4, 5]))
    assert codes["HF104"] == "offsets"


def test_commits_ahead_of_offsets(builder: CheckpointBuilder) -> None:
    shown, codes = looked(builder.metadata().batches(range(2)).commit(2))
    assert codes["HF107"] == "commits/2"
    assert (shown.checkpoint.restart.kind, shown.checkpoint.restart.batch) == ("rerun-then-fail", 1)


def test_commits_trailing_far(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(5), committed=False).commit(0)
    shown, codes = looked(builder)
    assert codes["HF108"] == "commits/0"
    assert shown.checkpoint.in_flight == 4


def test_commits_without_offsets(builder: CheckpointBuilder) -> None:
    shown, codes = looked(builder.metadata().commit(0))
    assert codes["HF109"] == "offsets"
    assert shown.checkpoint.restart.kind == "rerun-then-fail"


def test_predecessor_of_the_newest_plan_deleted(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(4))
    (builder.root / "offsets/2").unlink()
    shown, codes = looked(builder)
    assert codes["HF110"] == "offsets/2"
    assert shown.checkpoint.restart.kind == "refused"


def test_both_logs_lacking_a_batch_is_asynchronous_progress(builder: CheckpointBuilder) -> None:
    shown, codes = looked(builder.metadata().batches([0, 3]))
    assert "HF127" in codes and "HF110" not in codes
    assert shown.checkpoint.restart.kind == "next"


def test_asynchronous_progress_has_no_batches_in_between(builder: CheckpointBuilder) -> None:
    shown, codes = looked(builder.metadata().batches([1, 2]).plan(4))
    assert "HF127" in codes and "HF108" not in codes
    assert (shown.checkpoint.restart.kind, shown.checkpoint.restart.batch) == ("rerun", 4)


def test_a_stateful_query_is_never_asynchronous(builder: CheckpointBuilder) -> None:
    builder.metadata().batches([1, 2]).plan(4)
    builder.state(*(f"{p}/{v}.delta" for p in (0, 1) for v in range(1, 5)))
    shown, codes = looked(builder)
    assert codes["HF110"] == "offsets/3" and "HF127" not in codes
    assert shown.checkpoint.restart.kind == "refused"
    assert shown.newest is not None and not shown.newest.starts_known


@pytest.mark.parametrize(
    "stray",
    ["0/0/__tmp_path_dir/x", "0/1/.ipynb_checkpoints/1.delta", "0/old/1.delta", "0/9.delta"],
)
def test_a_stray_entry_below_state_harms_nothing(builder: CheckpointBuilder, stray: str) -> None:
    builder.metadata().batches(range(2))
    builder.state("0/1.delta", "0/2.delta", "1/1.delta", "1/2.delta")
    builder.write(f"state/{stray}", b"no state file")
    shown, codes = looked(builder)
    assert set(codes) == {"HF105"}
    assert shown.checkpoint.operators[0].store_names == ("default",)
    assert shown.checkpoint.operators[0].loadable == ((0, 1),)


def test_state_of_the_last_batch_gone(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(3))
    builder.state("0/1.delta", "0/2.delta", "0/3.delta", "1/1.delta", "1/2.delta")
    shown, codes = looked(builder)
    assert codes["HF111"] == "state/0"
    assert shown.checkpoint.operators[0].loadable == ((0, 1),)


def test_state_with_a_hole_before_a_snapshot(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(4))
    for partition in (0, 1):
        builder.state(*(f"{partition}/{n}" for n in ("1.delta", "3.snapshot", "4.delta")))
    shown, codes = looked(builder)
    assert codes["HF112"] == "state/0"
    assert shown.checkpoint.operators[0].loadable == ((0, 0), (2, 3))


def test_a_lost_partition_takes_all_state_with_it(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2)).state("0/1.delta", "0/2.delta")
    builder.write("state/0/0/_metadata/schema", state_schema('[{"name":"k","type":"long"}]'))
    _, codes = looked(builder)
    assert codes["HF111"] == "state/0"


def test_a_lone_partition_is_right_without_a_key(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2)).state("0/1.delta", "0/2.delta")
    builder.write("state/0/0/_metadata/schema", state_schema("[]"))
    shown, codes = looked(builder)
    assert "HF111" not in codes
    assert shown.checkpoint.operators[0].loadable == ((0, 1),)


def test_leftovers_strangers_and_oddities(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2)).write(f"offsets/.2.{UUID}.tmp", "v1")
    builder.write("offsets/notes.txt", "").write("mine/x", "")
    os.symlink("/etc", builder.root / "sources")
    _, codes = looked(builder)
    assert codes["HF113"] == f"offsets/.2.{UUID}.tmp"
    assert codes["HF114"] == "sources"
    assert codes["HF119"] in ("mine", "offsets/notes.txt")


def test_position_that_is_torn_json(builder: CheckpointBuilder) -> None:
    _, codes = looked(builder.metadata().plan(0, '{"t":{"0":2').commit(0))
    assert codes["HF116"] == "offsets/0"


def test_number_of_sources_changed(builder: CheckpointBuilder) -> None:
    builder.metadata().batches([0]).plan(1, '{"logOffset":1}', "3").commit(1)
    _, codes = looked(builder)
    assert codes["HF117"] == "offsets/1"


def test_file_source_log_with_a_hole(builder: CheckpointBuilder) -> None:
    builder.metadata().batches([0])
    for entry in ("9.compact", "10", "12"):
        builder.write(f"sources/0/{entry}", "v1")
    _, codes = looked(builder)
    assert codes["HF125"] == "sources/0"


def test_moved_operator_metadata(builder: CheckpointBuilder) -> None:
    builder.metadata().batches([0]).state("0/1.zip", "1/1.zip")
    builder.write(
        "state/0/_metadata/v2/0",
        'v2\n{"operatorInfo":{"operatorId":0,"operatorName":"x"},"stateStoreInfo":[{"storeName":'
        '"default","numColsPrefixKey":0,"numPartitions":2,"stateSchemaFilePaths":["s3a://b/k"]}]}',
    )
    shown, codes = looked(builder)
    assert codes["HF115"] == "state/0/_metadata/v2/0"
    assert shown.checkpoint.operators[0].name == "x"


def test_a_part_that_was_typed_leads_to_the_checkpoint(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(2))
    for part in ("offsets", "offsets/1", "commits", "metadata"):
        shown = show(str(builder.root / part))
        assert shown.checkpoint.location == builder.root.as_uri()
        assert "HF120" in {f.code for f in shown.checkpoint.warnings}


def test_folders_that_are_something_else_are_named(tmp_path: Path) -> None:
    for name, words in (
        ("_delta_log", "Delta table"),
        ("_spark_metadata", "file sink"),
        ("other", "not a checkpoint"),
    ):
        folder = tmp_path / name
        (folder / name).mkdir(parents=True)
        with pytest.raises(NotACheckpointError, match=words) as raised:
            show(str(folder))
        assert raised.value.next_action


def test_two_checkpoints_below_are_not_guessed_between(tmp_path: Path) -> None:
    for name in ("a", "b"):
        CheckpointBuilder(tmp_path / name).metadata().batches([0])
    with pytest.raises(NotACheckpointError, match="2 checkpoints"):
        show(str(tmp_path))


def test_a_batch_that_is_not_kept(builder: CheckpointBuilder) -> None:
    builder.metadata().batches([3, 4])
    with pytest.raises(UsageError, match="keeps batches 3 to 4"):
        show(str(builder.root), batch=1)


def test_every_code_has_a_severity_and_a_sentence() -> None:
    for code, (severity, sentence) in CODES.items():
        assert code.startswith(("HF1", "HF3")) and severity in ("info", "warning", "error")
        assert sentence[0].islower() and not sentence.endswith(".")


def state_schema(fields: str) -> bytes:
    def utf(text: str) -> bytes:
        return len(text).to_bytes(2, "big") + text.encode()

    def chunked(text: str) -> bytes:
        return (1).to_bytes(4, "big") + utf(text)

    key = f'{{"type":"struct","fields":{fields}}}'
    return utf("v2") + chunked(key) + chunked('{"type":"struct","fields":[]}')


def test_damaged_state_is_not_loadable(builder: CheckpointBuilder) -> None:
    builder.metadata().batches(range(3))
    for partition in (0, 1):
        builder.state(*(f"{partition}/{version}.delta" for version in (1, 2, 3)))
    builder.write("state/0/1/2.delta", b"")
    shown, codes = looked(builder)
    assert codes["HF101"] == "state/0/1/2.delta" and codes["HF111"] == "state/0"
    assert shown.checkpoint.operators[0].loadable == ((0, 0),)
