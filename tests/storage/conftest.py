"""One S3 server for the tests of this folder, and a storage of each kind."""

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem
from s3fs import S3FileSystem
from scripts.servers.moto import S3Server, s3_server

from holdfast.adapters.storage.opening import open_storage
from holdfast.core.ports import Storage

Files = dict[str, bytes]
Make = Callable[[Files], Storage]
"""Put files somewhere and open the folder that holds them."""


@pytest.fixture(scope="session")
def server() -> Iterator[S3Server]:
    with s3_server() as running:
        yield running


@pytest.fixture
def bucket(server: S3Server) -> str:
    name = f"lake-{uuid.uuid4().hex[:12]}"
    server.client().create_bucket(Bucket=name)
    return name


@pytest.fixture
def s3_environment(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    """This process itself talks to the server, and not to that of another test file.

    fsspec keeps its file systems, and takes the endpoint from the environment only once.
    """
    S3FileSystem.clear_instance_cache()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in server.environment().items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    return server


def _local(request: pytest.FixtureRequest) -> Make:
    folder: Path = request.getfixturevalue("tmp_path") / "folder"

    def make(files: Files) -> Storage:
        folder.mkdir()
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return open_storage(str(folder))

    return make


def _memory(request: pytest.FixtureRequest) -> Make:
    root = f"/{uuid.uuid4().hex}"

    def make(files: Files) -> Storage:
        for name, content in files.items():
            MemoryFileSystem().pipe_file(f"{root}/{name}", content)
        return open_storage(f"memory:/{root}")

    return make


def _s3(request: pytest.FixtureRequest) -> Make:
    server: S3Server = request.getfixturevalue("s3_environment")
    bucket: str = request.getfixturevalue("bucket")

    def make(files: Files) -> Storage:
        for name, content in files.items():
            server.client().put_object(Bucket=bucket, Key=f"folder/{name}", Body=content)
        return open_storage(f"s3://{bucket}/folder")

    return make


KINDS = {"local": _local, "memory": _memory, "s3": _s3}


@pytest.fixture(
    params=["local", "memory", pytest.param("s3", marks=pytest.mark.server)],
)
def make(request: pytest.FixtureRequest) -> Make:
    return KINDS[request.param](request)
