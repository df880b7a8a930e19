"""Input files in an object store: looked at by listings, and not one by one."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from s3fs import S3FileSystem
from scripts.servers.moto import S3Server, s3_server

from holdfast.flows.sources.lag import lag
from tests.checkpoint_builder import CheckpointBuilder

pytestmark = pytest.mark.server
FILES = 30


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    with s3_server() as running:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            monkeypatch.delenv(name)
        for name, value in running.environment().items():
            if name.startswith("AWS_"):
                monkeypatch.setenv(name, value)
        # fsspec keeps its file systems: those of other tests have other servers.
        S3FileSystem.clear_instance_cache()
        yield running
        S3FileSystem.clear_instance_cache()


def test_files_in_a_store_are_compared_by_one_listing(server: S3Server, tmp_path: Path) -> None:
    bucket = f"lake-{uuid.uuid4().hex[:12]}"
    client = server.client()
    client.create_bucket(Bucket=bucket)
    lines = []
    for number in range(FILES):
        key = f"in put/{number}.json"
        client.put_object(Bucket=bucket, Key=key, Body=b"{}")
        time_ms = int(client.head_object(Bucket=bucket, Key=key)["LastModified"].timestamp() * 1000)
        # As Hadoop spells it: the scheme s3a, and blanks escaped.
        path = f"s3a://{bucket}/in%20put/{number}.json"
        lines.append(f'{{"path":"{path}","timestamp":{time_ms},"batchId":0}}')
    builder = CheckpointBuilder(tmp_path / "c").metadata()
    builder.write("sources/0/0", "\n".join(["v1", *lines])).plan(0, '{"logOffset":0}').commit(0)
    source = f"files:s3://{bucket}/in put"

    def ask() -> tuple[int, int, int, int | None]:
        [state] = lag(str(builder.root), file="none", profile=None, sources=(source,)).sources
        counts = (state.checked_count, state.missing_count, state.altered_count)
        return (*counts, state.parts[0].lag)

    server.forget()
    assert ask() == (FILES, 0, 0, 0)
    assert len(server.requests()) <= 4
    client.delete_object(Bucket=bucket, Key="in put/7.json")
    client.put_object(Bucket=bucket, Key="in put/new.json", Body=b"{}")
    assert ask() == (FILES, 1, 0, 1)
