"""Records of each kind, all empty, and one S3 server whose conditional put is atomic."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from s3fs import S3FileSystem
from scripts.servers.loopback import answers, free_ports, stop, wait
from scripts.servers.moto import S3Server

from holdfast.adapters.records.opening import open_records
from holdfast.core.running.ports import Records

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    [port], log = free_ports(1), tmp_path_factory.mktemp("s3") / "server.log"
    command = [sys.executable, "-m", "tests.lease.one_at_a_time", "-H", "127.0.0.1"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "-p", str(port)], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        wait("the S3 server", process, lambda: answers(port), log)
        yield S3Server(port=port, log=log)
    finally:
        stop(process)


@pytest.fixture
def s3_environment(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """This process itself talks to the server; file systems of other tests keep to theirs."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in server.environment().items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    S3FileSystem.clear_instance_cache()
    yield server
    S3FileSystem.clear_instance_cache()


@pytest.fixture
def s3_checkpoint(s3_environment: S3Server) -> str:
    bucket = f"lake-{uuid.uuid4().hex[:12]}"
    s3_environment.client().create_bucket(Bucket=bucket)
    return f"s3://{bucket}/base/ck"


@pytest.fixture(params=["local", "memory", pytest.param("s3", marks=pytest.mark.server)])
def checkpoint(request: pytest.FixtureRequest) -> str:
    """A location of each kind, at which there is nothing yet."""
    if request.param == "memory":
        return f"memory://{uuid.uuid4().hex}/ck"
    if request.param == "local":
        return str(request.getfixturevalue("tmp_path") / "base" / "ck")
    return str(request.getfixturevalue("s3_checkpoint"))


@pytest.fixture
def records(checkpoint: str) -> Records:
    return open_records(checkpoint)
