"""`holdfast explain` as people and programs meet it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from holdfast.adapters.texts.blocks import BLOCK_BYTES, blocks_of_file
from holdfast.core.explain.catalogue.all import CATALOGUE
from holdfast.core.explain.recogniser import recognise
from holdfast.flows.explain import explain
from holdfast.surfaces.render.contract import json_schemas
from tests.checkpoint_builder import CheckpointBuilder
from tests.explain.texts import bracketed, in_log

HOLDFAST = Path(sys.executable).with_name("holdfast")
MALFORMED = bracketed("MALFORMED_LOG_FILE")


def holdfast(*arguments: str, given: bytes = b"") -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [HOLDFAST, "explain", *arguments], capture_output=True, check=False, input=given
    )
    out, talk = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, out, talk)


def result(*arguments: str, code: int = 0, given: bytes = b"") -> dict[str, Any]:
    done = holdfast(*arguments, "--output", "json", given=given)
    assert done.returncode == code, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(answer, json_schemas()[answer["schema"]])
    return answer


def test_a_message_is_explained_with_cause_advice_and_next_command() -> None:
    done = holdfast(MALFORMED)
    assert done.returncode == 0 and done.stderr == ""
    for words in ("cut short", "cause", "try again", "does not help", "do not: delete", "next:"):
        assert words in done.stdout
    assert "a second time" in done.stdout and "lost without an error" in done.stdout


def test_the_consequence_is_that_of_the_sink() -> None:
    text = holdfast(MALFORMED, "--sink", "file").stdout
    assert "_spark_metadata" in text and "a second time" not in text
    advice = result(f"INFO DeltaSink: x {MALFORMED}")["result"]["explanations"][0]["harmful_advice"]
    assert [c["sink"] for c in advice[0]["consequences"]] == ["Delta's own sink"]
    assert holdfast(MALFORMED, "--sink", "teapot").returncode == 2


def test_a_file_is_read_and_said_to_be(tmp_path: Path) -> None:
    log = tmp_path / "driver.log"
    log.write_text(in_log(MALFORMED), encoding="utf-8")
    done = holdfast(str(log))
    assert done.returncode == 0 and f"reading the file {log}" in done.stderr
    answer = result(str(log))
    assert answer["target"] == str(log) and answer["result"]["taken"] == "file"
    assert answer["result"]["explanations"][0]["first_line"] == 68


def test_standard_input_and_bytes_that_are_no_text() -> None:
    noise = bytes(range(256)) * 100
    answer = result("-", given=noise + b"\n" + MALFORMED.encode() + b"\n" + noise)
    assert answer["target"] == answer["result"]["taken"] == "stdin"
    assert answer["result"]["explanations"][0]["id"] == "torn-log-file"


@pytest.mark.parametrize("name", ["HF128", "hf128", "STREAM_FAILED", "[STREAM_FAILED]"])
def test_a_name_is_looked_up(name: str) -> None:
    found = result(name)["result"]["explanations"]
    assert [e["found_by"] for e in found] == [name.strip("[]").upper()]


def test_what_stands_after_the_dot_is_enough() -> None:
    found = result("IS_EMPTY")["result"]["explanations"]
    assert {e["id"] for e in found} == {"state-reader-options", "repartition-parameter"}


def test_what_is_not_recognised_says_what_would_help() -> None:
    done = holdfast("the quick brown fox")
    assert done.returncode == 4
    assert "Not recognised" in done.stdout and "What would help" in done.stdout
    answer = result("[SOME_CONDITION_OF_2031] x", code=4)["result"]
    assert not answer["recognised"] and answer["unknown_names"] == ["SOME_CONDITION_OF_2031"]
    assert result("STREAM_FAILD", code=4)["result"]["near_names"][0] == "STREAM_FAILED"


def test_what_cannot_be_read(tmp_path: Path) -> None:
    assert holdfast(str(tmp_path)).returncode == 2
    missing = holdfast(str(tmp_path / "driver.log"))
    assert missing.returncode == 2 and "HF007" in missing.stderr
    assert holdfast(" ").returncode == 2
    assert holdfast(MALFORMED, "--checkpoint", str(tmp_path / "none")).returncode == 2
    assert holdfast("/dev/null/x.log").returncode == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    log = tmp_path / "driver.log"
    log.write_text("x")
    log.chmod(0)
    assert holdfast(str(log)).returncode == 2


def test_a_recognised_text_that_looks_like_a_path_is_said_to_be_taken_as_text() -> None:
    done = holdfast("x/[MALFORMED_LOG_FILE]")
    assert done.returncode == 0
    assert holdfast("rm/MALFORMED_LOG_FILE").stderr.startswith("holdfast: no file has that name")


def test_the_checkpoint_is_asked(tmp_path: Path) -> None:
    place = CheckpointBuilder(tmp_path / "ck").batches(range(2)).root
    name = "STREAMING_CHECKPOINT_MISSING_METADATA_FILE"
    says = result(name, "--checkpoint", str(place))["result"]["explanations"][0]
    assert says["checkpoint_says"]["status"] == "agrees"
    assert says["checkpoint_says"]["findings"] == ["HF106"]
    assert says["next_commands"][0] == f"holdfast show {place}"
    assert "agrees" in holdfast(name, "--checkpoint", str(place)).stdout


def test_advice_alone_is_an_answer() -> None:
    done = holdfast("someone said: set failOnDataLoss=false")
    assert done.returncode == 0
    assert "do not: set failOnDataLoss=false (this text says so)" in done.stdout


@pytest.mark.parametrize("output", ["text", "json"])
def test_secrets_of_the_text_are_not_repeated(output: str, tmp_path: Path) -> None:
    secrets = "jdbc:postgresql://u:canary-1@h/d password=canary-2 token: canary-3 sig=canary-4"
    jaas = 'sasl.jaas.config=X required password="canary-5"; batch canary-6 doesn\'t exist canary-7'
    log = tmp_path / "x.log"
    log.write_text(f"{secrets} {MALFORMED} {jaas}\n[CANARY_8_NAME] is shown, it is a name\n")
    done = holdfast(str(log), "--output", output)
    assert done.returncode == 0 and "canary" not in done.stdout + done.stderr


def test_a_log_of_many_blocks_is_one_log(tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    line = b"26/11/14 02:11:07 INFO MicroBatchExecution: nothing to see\n"
    count = 2 * BLOCK_BYTES // len(line)
    with log.open("wb") as stream:
        stream.write(line * count)
        stream.write(MALFORMED.encode() + b"\n")
        stream.write(line * 10)
    found = recognise(blocks_of_file(str(log)), CATALOGUE)
    assert found.matches[0].last_line == count + 1
    assert found.lines == count + 11


def test_a_text_without_line_ends_is_read_to_its_end(tmp_path: Path) -> None:
    log = tmp_path / "one-line"
    log.write_bytes(b"x" * (BLOCK_BYTES - 10) + b" " + MALFORMED.encode() + b"y" * BLOCK_BYTES)
    assert explain(str(log)).recognised.matches[0].explanation.id == "torn-log-file"
    short = tmp_path / "short"
    short.write_bytes(MALFORMED.encode())
    assert list(blocks_of_file(str(short))) == [MALFORMED]
