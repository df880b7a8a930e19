"""The command line as people and programs meet it: exit codes, streams, the JSON contract."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from holdfast.surfaces.cli.main import COMMANDS
from holdfast.surfaces.render.contract import MODELS, json_schemas
from tests.checkpoint_builder import QUERY_ID, CheckpointBuilder
from tests.golden_cases import GOLDEN

HOLDFAST = Path(sys.executable).with_name("holdfast")
KILLED = GOLDEN / "4.2.0" / "killed_in_sink"


def holdfast(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([HOLDFAST, *arguments], capture_output=True, text=True, check=False)


def as_json(*arguments: str, exit_code: int = 0) -> dict[str, Any]:
    done = holdfast(*arguments, "--output", "json")
    assert done.returncode == exit_code, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(answer, json_schemas()[answer["schema"]])
    return answer


def test_the_killed_case_names_the_batch_in_flight() -> None:
    answer = as_json("show", str(KILLED))
    assert answer["schema"] == "holdfast/show/1"
    assert answer["target"] == (KILLED / "checkpoint").as_uri()
    assert answer["result"]["in_flight"] == answer["result"]["next_batch"] == 2


def test_text_says_what_a_restart_will_do() -> None:
    done = holdfast("show", str(KILLED))
    assert done.returncode == 0
    assert "A restart runs batch 2 again over exactly the same input" in done.stdout
    assert f"next: holdfast show {KILLED} --batch 2" in done.stdout
    assert done.stderr == ""


def test_batch_state_files_and_conf_add_to_the_answer() -> None:
    case = GOLDEN / "4.2.0" / "agg_rocksdb"
    answer = as_json("show", str(case), "--batch", "1", "--state", "--verify")
    assert answer["result"]["batch"]["batch"] == 1
    assert answer["result"]["schemas"][0]["files"][0]["column_families"][0]["key"]
    text = holdfast("show", str(case), "--state", "--files", "--conf").stdout
    assert "schema" in text and "verified" in text
    assert "spark.sql.streaming.join.stateFormatVersion" in text


def test_kafka_batch_counts_its_records() -> None:
    answer = as_json("show", str(GOLDEN / "4.2.0" / "kafka"), "--batch", "0")
    source = answer["result"]["batch"]["sources"][0]
    assert (source["kind"], source["counts"]) == ("kafka", "records")
    assert source["amount"] == sum(move["amount"] for move in source["moves"]) > 0


def test_something_wrong_exits_1_and_still_answers(tmp_path: Path) -> None:
    builder = CheckpointBuilder(tmp_path / "c").batches(range(2))
    answer = as_json("show", str(builder.root), exit_code=1)
    assert answer["result"]["query_id"] is None
    assert "HF106" in {warning["code"] for warning in answer["warnings"]}


def test_nothing_to_say_exits_2_with_code_and_next_action(tmp_path: Path) -> None:
    answer = as_json("show", str(tmp_path / "none"), exit_code=2)
    assert answer["schema"] == "holdfast/error/1"
    assert answer["error"]["code"] == "HF007" and answer["error"]["next_action"]
    done = holdfast("show", str(tmp_path / "none"))
    assert done.stdout == "" and done.stderr.startswith("holdfast: HF007 ")
    assert "Traceback" not in done.stderr


def test_fleet_marks_copies_nested_and_unwhole_checkpoints(tmp_path: Path) -> None:
    CheckpointBuilder(tmp_path / "a").metadata().batches(range(3))
    CheckpointBuilder(tmp_path / "b").metadata().batches(range(2))
    CheckpointBuilder(tmp_path / "a" / "inner").metadata(f"0{QUERY_ID[1:]}").batches([0])
    CheckpointBuilder(tmp_path / "team" / "c").batches([0, 1], committed=False)
    CheckpointBuilder(tmp_path / "table").write("part-0.parquet", b"x")
    answer = as_json("fleet", str(tmp_path), exit_code=1)
    found = {c["path"]: c for c in answer["result"]["checkpoints"]}
    assert set(found) == {"a", "a/inner", "b", "team/c"}
    assert found["team/c"]["in_flight"] == 1 and found["a"]["in_flight"] is None
    assert found["a"]["last_committed"] == 2
    codes = {(w["code"], w["path"]) for w in answer["warnings"]}
    assert {("HF123", "b"), ("HF122", "a/inner"), ("HF124", "team/c")} <= codes
    assert "same query id" in holdfast("fleet", str(tmp_path)).stdout


def test_fleet_counts_every_golden_case_of_a_version() -> None:
    cases = [path for path in (GOLDEN / "4.2.0").iterdir() if (path / "checkpoint").is_dir()]
    answer = as_json("fleet", str(GOLDEN / "4.2.0"))
    assert answer["result"]["count"] == len(cases)


def test_fleet_without_a_checkpoint_says_so(tmp_path: Path) -> None:
    assert as_json("fleet", str(tmp_path), exit_code=2)["error"]["code"] == "HF003"


def test_diff_of_a_copy_that_went_its_own_way(tmp_path: Path) -> None:
    left = CheckpointBuilder(tmp_path / "a").metadata().batches(range(3))
    right = CheckpointBuilder(tmp_path / "b").metadata().batches(range(2))
    right.plan(2, '{"logOffset":7}', conf={"spark.sql.shuffle.partitions": "9"})
    answer = as_json("diff", str(left.root), str(right.root), exit_code=1)
    result = answer["result"]
    assert (result["lineage"], result["equal"]) == ("parted", False)
    assert (result["last_equal_batch"], result["first_unequal_batch"]) == (1, 2)
    assert result["sources"][0]["left_is"] == "behind"
    assert [change["name"] for change in result["conf"]] == ["spark.sql.shuffle.partitions"]
    text = holdfast("diff", str(left.root), str(right.root)).stdout
    assert "Plans differ from batch 2 on" in text


def test_diff_of_a_checkpoint_with_itself_is_empty() -> None:
    case = str(GOLDEN / "4.2.0" / "join_v2")
    result = as_json("diff", case, case)["result"]
    assert result["equal"] and result["lineage"] == "same"


def test_schema_prints_every_contract() -> None:
    everything = json.loads(holdfast("schema").stdout)
    assert set(everything) == {f"holdfast/{name}/1" for name in MODELS}
    for schema in everything.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(holdfast("schema", "show").stdout) == everything["holdfast/show/1"]
    assert holdfast("schema", "nothing").returncode == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_agrees_with_the_list(command: str) -> None:
    overview = " ".join(holdfast("--help").stdout.split())
    assert f"{command} {COMMANDS[command][:40]}" in overview
    own = " ".join(holdfast(command, "--help").stdout.split())
    assert COMMANDS[command] in own


def test_usage_errors_exit_2_without_a_traceback() -> None:
    for arguments in (["nonsense"], ["show"], ["show", str(KILLED), "--batch", "-1"]):
        done = holdfast(*arguments)
        assert done.returncode == 2 and "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        f"'{HOLDFAST}' schema | head -n 1", shell=True, capture_output=True, text=True, check=False
    )
    assert done.stdout == "{\n" and "Traceback" not in done.stderr
