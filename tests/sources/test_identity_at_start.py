"""The identity of a Kafka topic is written down when a job starts. The engine is a fake one."""

from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.adapters.records.opening import open_records
from holdfast.core.fact import Known, Unreadable
from holdfast.core.job import SourceSpec
from holdfast.core.running.fingerprint import decode_sources
from holdfast.core.running.run import fingerprint_name
from holdfast.core.secret_text import SecretText
from holdfast.flows.run import run
from holdfast.flows.sources.remembered import remember_sources
from holdfast.flows.supervise import StopSignal
from tests.running.fake_engine import FakeEngine, FakeQuery, declared
from tests.sources.topics import make_topic, new_name


def ran(base: str, servers: str, topic: str) -> str:
    """Run a job that reads a topic; how it ended."""
    options = {"kafka.bootstrap.servers": servers, "subscribe": topic}
    source = SourceSpec(format="kafka", path=None, schema=None, options=options, job=None)
    plain = declared(base, "j", secrets=frozenset({servers}))
    declaration = replace(plain, jobs=(replace(plain.jobs[0], source=source),))
    engine = FakeEngine({"j": [FakeQuery(batches=1)]})
    [result] = run(
        declaration,
        ("j",),
        StopSignal(),
        once=True,
        tell=lambda event: None,
        engine=lambda _: engine,
    )
    return result.end


@pytest.mark.server
def test_a_start_writes_down_the_id_of_its_topic(servers: str, tmp_path: Path) -> None:
    topic = new_name()
    make_topic(servers, topic)
    assert ran(str(tmp_path), servers, topic) == "drained"
    found = remember_sources(open_records(str(tmp_path / "j"))).identity(0)
    assert isinstance(found, Known)
    assert found.value.startswith(f"{topic}=") and len(found.value) > len(topic) + 10


def test_a_source_that_cannot_be_asked_keeps_no_job_from_running(tmp_path: Path) -> None:
    servers = SecretText("127.0.0.1:1", "${env:SERVERS}")
    assert ran(str(tmp_path), servers, "t") == "drained"
    records = open_records(str(tmp_path / "j"))
    found = remember_sources(records)
    assert isinstance(found.identity(0), Unreadable)
    assert found.spec(0) is None, "the address is hidden, so nobody can go there"
    data = records.read(fingerprint_name(1))
    assert data is not None and b"127.0.0.1:1" not in data


def test_fingerprints_of_earlier_releases_have_no_identity() -> None:
    old = b'{"format":1,"sources":[{"position":0,"provider":"kafka","options":{}}]}'
    sources = decode_sources(old)
    assert sources is not None and sources[0].identity is None
    for damaged in (b"", b"[]", b'{"sources":1}', b'{"sources":[{}]}'):
        assert decode_sources(damaged) is None
