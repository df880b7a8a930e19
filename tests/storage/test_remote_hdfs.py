"""HDFS, against a real name node and data node."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.servers.hdfs import HdfsServer, hdfs_server

from holdfast.adapters.storage.opening import open_storage
from holdfast.flows.show import show
from tests.storage import same_answers

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def server() -> Iterator[HdfsServer]:
    with same_answers.or_skip(hdfs_server()) as running:
        running.put({f"/{k}": v for k, v in same_answers.all_golden_files().items()})
        yield running


@pytest.mark.parametrize("name", same_answers.CASES)
def test_show_says_the_same_as_on_disk(name: str, server: HdfsServer, tmp_path: Path) -> None:
    same_answers.check_show(f"{server.address}/jobs/{name}", name, tmp_path / "ck")


def test_the_root_itself_is_a_folder(server: HdfsServer) -> None:
    for root in (server.address, f"{server.address}/"):
        same_answers.check_root(root)


def test_fleet_finds_all(server: HdfsServer) -> None:
    same_answers.check_fleet(f"{server.address}/jobs")


def test_nothing_is_written(server: HdfsServer) -> None:
    url = f"{server.address}/jobs/agg_rocksdb"
    same_answers.check_unwritten(
        lambda: server.files("/jobs"), lambda: show(url, verify=True, state=True)
    )


def test_names_are_taken_as_they_are(server: HdfsServer) -> None:
    names = ("a?b", "a#b", "a;b", "a b", "a%20b", "[a]*", "ü")
    server.put({f"/odd/{name}": name.encode() for name in names})
    storage = open_storage(f"{server.address}/odd")
    assert set(storage.entries().files) == set(names)
    assert storage.read(names, 100) == {name: name.encode() for name in names}


def test_a_folder_that_may_not_be_listed_is_said_to_be_so(
    server: HdfsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = same_answers.golden_files("kafka")
    server.put({f"/locked/{name}": content for name, content in files.items()})
    owner = server.client()
    owner.set_permission("/locked/sources", 0o000)
    monkeypatch.setenv("HADOOP_USER_NAME", "somebody-else")
    shown = show(f"{server.address}/locked").checkpoint
    assert {f.path for f in shown.warnings if f.code == "HF114"} == {"sources"}
    owner.set_permission("/locked", 0o000)
    said = same_answers.refused(f"{server.address}/locked", {**os.environ})
    assert said == "HF007 the store refused access"


def test_a_folder_that_is_not_there(server: HdfsServer) -> None:
    said = same_answers.refused(f"{server.address}/nothing/here", {**os.environ})
    assert said == "HF007 there is nothing at this location"


def test_nobody_listens_or_no_cluster_is_configured() -> None:
    env = {k: v for k, v in os.environ.items() if not k.startswith("HADOOP_")}
    said = same_answers.refused("hdfs://127.0.0.1:9/ck", env)
    assert said == "HF007 the store gave no answer (OSError)"
    assert same_answers.refused("hdfs:///ck", env).startswith("HF007")
    assert same_answers.refused("hdfs://nameservice1/ck", env).startswith("HF007")
