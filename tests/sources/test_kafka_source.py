"""Kafka sources on a real broker."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions

from holdfast.adapters.records.opening import open_records
from holdfast.adapters.sources.kafka_group import NOTE
from holdfast.adapters.sources.opening import parse_source, read_identity
from holdfast.core.evidence.source_state import sameness, time_left
from holdfast.core.fact import Known, Unreadable
from holdfast.core.job import SourceSpec
from holdfast.core.running.fingerprint import Fingerprint, SourcePrint, encode_fingerprint
from holdfast.core.running.run import RunResult, encode_record, end_name, fingerprint_name
from holdfast.errors import RefusedError, UsageError
from holdfast.flows.sources.lag import Lag, lag
from holdfast.surfaces.render.contract import MODELS
from tests.sources.topics import (
    WAIT_S,
    add_partitions,
    admin,
    checkpoint_at,
    make_topic,
    new_name,
    produce,
    remove_records,
    remove_topic,
)

pytestmark = pytest.mark.server
HOUR_MS = 3_600_000


def ask(folder: Path, servers: str, topic: str, **more: Any) -> Lag:
    source = f"kafka:{servers}/{topic}"
    return lag(str(folder), file="none", profile=None, sources=(source,), **more)


def codes(found: Lag) -> list[str]:
    return [finding.code for finding in found.findings]


def write_run(
    folder: Path, epoch: int, *, batches: int, identity: str | None, **options: str
) -> None:
    """What a run leaves in our records: the fingerprint with its source, and its end."""
    records = open_records(str(folder))
    source = SourcePrint(position=0, provider="kafka", options=options, identity=identity)
    fingerprint = Fingerprint(
        job="j",
        epoch=epoch,
        query_id="q",
        sources=(source,),
        stateful=(),
        output_mode=None,
        trigger=None,
        transform=None,
        sink={},
        pinned={},
        unpinned={},
        versions={},
        code_revision=None,
    )
    records.create(fingerprint_name(epoch), encode_fingerprint(fingerprint))
    end = RunResult(
        job="j",
        end="stopped",
        epoch=epoch,
        query_id="q",
        batches=batches,
        rows=0,
        last_batch=None,
        duration_ms=0,
        cause="",
    )
    records.create(end_name(epoch), encode_record(end))


def identity_of(servers: str, topic: str) -> str:
    found = read_identity(parse_source(f"kafka:{servers}/{topic}"))
    assert isinstance(found, Known)
    return found.value


def test_lag_is_the_distance_to_the_end_of_each_partition(servers: str, tmp_path: Path) -> None:
    topic = new_name()
    make_topic(servers, topic, 2, retention_ms=str(10 * HOUR_MS))
    written_ms = int(time.time() * 1000) - HOUR_MS
    produce(servers, topic, 500, 0, written_ms)
    produce(servers, topic, 30, 1)
    found = ask(checkpoint_at(tmp_path / "c", {topic: {"0": 400, "1": 30}}), servers, topic)
    [state] = found.sources
    first, second = state.parts
    assert (first.name, first.stored, first.earliest, first.latest) == (f"{topic}/0", 400, 0, 500)
    assert (first.lag, second.lag, found.batch) == (100, 0, 0)
    assert first.stored_at_ms == written_ms + 400
    assert time_left(first, written_ms + 400 + HOUR_MS) == 9 * HOUR_MS
    assert time_left(second, found.now_ms) == "nothing-unread"
    assert found.is_known and codes(found) == []


def test_a_topic_made_again_is_told_though_the_position_fits_into_it(
    servers: str, tmp_path: Path
) -> None:
    """600 records in the new topic, 400 in the checkpoint: Spark would read on at 400."""
    topic = new_name()
    make_topic(servers, topic)
    produce(servers, topic, 400)
    folder = checkpoint_at(tmp_path / "c", {topic: {"0": 400}})
    write_run(folder, 1, batches=1, identity=identity_of(servers, topic))
    before = ask(folder, servers, topic)
    assert (sameness(before.sources[0]), codes(before)) == ("same", [])
    remove_topic(servers, topic)
    make_topic(servers, topic)
    produce(servers, topic, 600)
    after = ask(folder, servers, topic)
    assert sameness(after.sources[0]) == "other"
    assert codes(after) == ["HF302"]
    with pytest.raises(RefusedError, match="another one"):
        ask(folder, servers, topic, mirror_to=new_name())


def test_a_run_that_finished_no_batch_does_not_make_the_new_topic_ours(
    servers: str, tmp_path: Path
) -> None:
    topic = new_name()
    make_topic(servers, topic)
    folder = checkpoint_at(tmp_path / "c", {topic: {"0": 0}})
    write_run(folder, 1, batches=3, identity=f"{topic}=of-the-old-topic")
    write_run(folder, 2, batches=0, identity=identity_of(servers, topic))
    assert codes(ask(folder, servers, topic)) == ["HF302"]
    write_run(folder, 3, batches=1, identity=identity_of(servers, topic))
    assert codes(ask(folder, servers, topic)) == []


def test_records_that_retention_took_are_lost(servers: str, tmp_path: Path) -> None:
    topic = new_name()
    make_topic(servers, topic)
    produce(servers, topic, 500)
    remove_records(servers, topic, 450)
    found = ask(checkpoint_at(tmp_path / "c", {topic: {"0": 400}}), servers, topic)
    [part] = found.sources[0].parts
    assert (part.lost, part.lag, part.stored_is_readable) == (50, 50, False)
    assert part.stored_at_ms is None and part.oldest_at_ms is not None
    assert codes(found) == ["HF301"]


def test_a_partition_that_was_added_is_read_from_its_beginning(
    servers: str, tmp_path: Path
) -> None:
    topic = new_name()
    make_topic(servers, topic)
    add_partitions(servers, topic, 2)
    produce(servers, topic, 5, 1)
    found = ask(checkpoint_at(tmp_path / "c", {topic: {"0": 0}}), servers, topic)
    part = found.sources[0].parts[1]
    assert (part.stored, part.lag, part.stored_is_readable) == (None, 5, True)
    assert codes(found) == ["HF308"]


def test_a_topic_that_is_gone_and_one_that_is_too_short(servers: str, tmp_path: Path) -> None:
    short, gone = new_name(), new_name()
    make_topic(servers, short)
    produce(servers, short, 10)
    past = ask(checkpoint_at(tmp_path / "a", {short: {"0": 400}}), servers, short)
    assert codes(past) == ["HF303"]
    away = ask(checkpoint_at(tmp_path / "b", {gone: {"0": 1}}), servers, gone)
    assert codes(away)[0] == "HF301"
    topics = admin(servers).list_topics(timeout=WAIT_S).topics
    assert gone not in topics, "asking for a topic must not create it"


def test_offsets_that_no_topic_can_have_are_a_problem_and_no_crash(
    servers: str, tmp_path: Path
) -> None:
    topic, group = new_name(), new_name()
    make_topic(servers, topic)
    odd = checkpoint_at(tmp_path / "a", {"no topic": {"0": 1}, "": {"0": 1}})
    assert codes(ask(odd, servers, topic)) == ["HF305"]
    huge = checkpoint_at(tmp_path / "b", {topic: {str(10**18): 1, "0": 10**18}})
    assert "HF303" in codes(ask(huge, servers, topic))
    mirrored = ask(huge, servers, topic, mirror_to=group).mirrored
    assert mirrored is not None and mirrored.partitions == 1


def test_a_batch_in_flight_counts_as_unread(servers: str, tmp_path: Path) -> None:
    topic = new_name()
    make_topic(servers, topic)
    produce(servers, topic, 100)
    folder = checkpoint_at(tmp_path / "c", {topic: {"0": 60}})
    (folder / "commits" / "0").unlink()
    found = ask(folder, servers, topic)
    assert found.batch is None
    assert found.sources[0].parts[0].stored == 0
    assert found.sources[0].parts[0].lag == 100


def test_records_say_where_the_source_is_where_nothing_else_does(
    servers: str, tmp_path: Path
) -> None:
    topic = new_name()
    make_topic(servers, topic)
    folder = checkpoint_at(tmp_path / "c", {topic: {"0": 0}})
    options = {"kafka.bootstrap.servers": servers, "subscribe": topic}
    write_run(folder, 1, batches=1, identity=identity_of(servers, topic), **options)
    assert lag(str(folder), file="none", profile=None).is_known
    hidden = checkpoint_at(tmp_path / "d", {topic: {"0": 0}})
    options["kafka.bootstrap.servers"] = "${env:SERVERS}"
    write_run(hidden, 1, batches=1, identity=None, **options)
    assert not lag(str(hidden), file="none", profile=None).is_known


def test_offsets_are_mirrored_to_a_group_of_ours_and_again(servers: str, tmp_path: Path) -> None:
    topic, group = new_name(), new_name()
    make_topic(servers, topic, 2)
    produce(servers, topic, 10)
    folder = checkpoint_at(tmp_path / "c", {topic: {"0": 4, "1": 0}})
    for _ in range(2):
        mirrored = ask(folder, servers, topic, mirror_to=group).mirrored
        assert mirrored is not None and mirrored.partitions == 2
    client = admin(servers)
    asked = client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])
    held = asked[group].result(WAIT_S).topic_partitions
    assert {(p.partition, p.offset, p.metadata) for p in held} == {(0, 4, NOTE), (1, 0, NOTE)}


def test_a_group_that_somebody_uses_is_left_alone(servers: str, tmp_path: Path) -> None:
    topic, group = new_name(), new_name()
    make_topic(servers, topic)
    produce(servers, topic, 10)
    folder = checkpoint_at(tmp_path / "c", {topic: {"0": 4}})
    settings = {"bootstrap.servers": servers, "group.id": group, "auto.offset.reset": "earliest"}
    consumer = Consumer({**settings, "log_level": 0, "enable.auto.commit": False})
    consumer.subscribe([topic])
    message = None
    while message is None:
        message = consumer.poll(1)
    with pytest.raises(RefusedError, match="in use"):
        ask(folder, servers, topic, mirror_to=group)
    consumer.commit(message, asynchronous=False)
    consumer.close()
    with pytest.raises(RefusedError, match="did not write"):
        ask(folder, servers, topic, mirror_to=group)
    with pytest.raises(RefusedError, match="own marks"):
        ask(folder, servers, topic, mirror_to="holdfast-q-orders")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "holdfast", "lag", *arguments]
    return subprocess.run(words, capture_output=True, text=True, env=dict(os.environ))


def test_the_command_gives_json_and_exit_codes(servers: str, tmp_path: Path) -> None:
    topic = new_name()
    make_topic(servers, topic)
    produce(servers, topic, 10)
    folder = str(checkpoint_at(tmp_path / "c", {topic: {"0": 4}}))
    fine = command(folder, "--source", f"kafka:{servers}/{topic}", "--output", "json")
    assert fine.returncode == 0, fine.stderr
    MODELS["lag"].model_validate(json.loads(fine.stdout))
    assert json.loads(fine.stdout)["result"]["sources"][0]["lag"] == 6
    remove_records(servers, topic, 6)
    assert command(folder, "--source", f"kafka:{servers}/{topic}").returncode == 1
    away = command(folder, "--source", f"kafka:127.0.0.1:1/{topic}")
    assert (away.returncode, away.stderr) == (4, "")
    assert "HF305" in away.stdout
    assert command(folder, "--source", "nonsense").returncode == 2


def test_a_broker_that_does_not_answer_leaves_the_identity_unknown_and_no_secret() -> None:
    options = {
        "kafka.bootstrap.servers": "127.0.0.1:1",
        "subscribe": "t",
        "kafka.security.protocol": "SASL_PLAINTEXT",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": 'X required username="u" password="hush-hush";',
        "kafka.max.poll.records": "7",  # of the Java client; must not get in the way
        "kafka.group.id": "mine",
    }
    spec = SourceSpec(format="kafka", path=None, schema=None, options=options, job=None)
    found = read_identity(spec)
    assert isinstance(found, Unreadable)
    assert "hush" not in repr(found)


@pytest.mark.parametrize("text", ["kafka:", "kafka:broker", "kafka:u:p@h:1/t", "mysql:x"])
def test_what_is_no_source_is_refused_at_the_door(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_source(text)
    assert "u:p" not in f"{error.value} {error.value.subject}"
