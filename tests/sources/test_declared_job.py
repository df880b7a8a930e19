"""`lag` of a declared job: the declaration says where its source is, and keeps its secrets."""

import sys
from pathlib import Path

import pytest

from holdfast.adapters.sources.opening import parse_source, read_identity
from holdfast.core.fact import Unreadable
from holdfast.flows.sources.lag import Lag, lag
from holdfast.surfaces.render.lag.answer import lag_result
from holdfast.surfaces.render.lag.text import print_lag
from tests.sources.topics import checkpoint_at, make_topic, new_name, produce

DECLARATION = """
checkpoints: {base}
jobs:
  orders: {{source: incoming, sink: raw}}
profiles:
  embedded:
    sources:
      incoming:
        format: kafka
        options:
          kafka.bootstrap.servers: ${{env:TEST_SERVERS}}
          subscribe: {topic}
    sinks:
      raw: {{kind: file, format: parquet, path: {base}-raw}}
"""


def ask(folder: Path, topic: str) -> Lag:
    base = folder / "checkpoints"
    checkpoint_at(base / "orders", {topic: {"0": 4}})
    file = folder / "holdfast.yaml"
    file.write_text(DECLARATION.format(base=base, topic=topic))
    return lag("orders", file=str(file), profile=None)


@pytest.mark.server
def test_a_declared_job_is_asked_by_its_name(
    servers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = new_name()
    make_topic(servers, topic)
    produce(servers, topic, 10)
    monkeypatch.setenv("TEST_SERVERS", servers)
    found = ask(tmp_path, topic)
    assert found.is_known
    assert found.sources[0].parts[0].lag == 6
    assert found.sources[0].where == f"${{env:TEST_SERVERS}}/{topic}"


def test_brokers_from_the_environment_are_named_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEST_SERVERS", "127.0.0.1:1,127.0.0.1:2")
    found = ask(tmp_path, "t")
    assert not found.is_known
    print_lag(found)
    told = f"{capsys.readouterr()} {lag_result(found)} {found.findings}"
    assert "HF305" in told
    assert "127.0.0.1" not in told


def test_a_library_that_is_missing_is_named_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in sys.modules if name.startswith("holdfast.adapters.sources.kafka")
    ]:
        monkeypatch.delitem(sys.modules, name)
    ours = ("holdfast.adapters.sources.kafka", "holdfast.adapters.sinks.kafka")
    for name in [name for name in sys.modules if name.startswith(ours)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    found = read_identity(parse_source("kafka:broker:9092/t"))
    assert isinstance(found, Unreadable)
    assert "pip install 'holdfast[kafka]'" in found.reason
