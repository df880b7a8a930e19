"""Guards on a real S3 server: what is looked at, and how many requests that takes."""

import uuid
from typing import Any

import pytest
from s3fs import S3FileSystem

from holdfast.adapters.records.opening import open_records
from holdfast.flows.guard import check_start, remember_identity
from tests.checkpoint_builder import QUERY_ID
from tests.guards.worlds import make_job
from tests.lease.conftest import s3_environment, server

__all__ = ["s3_environment", "server"]

REQUESTS_MAX = 60
"""A start asks for names and a few small files; it does not go through the checkpoint."""

pytestmark = pytest.mark.server


@pytest.fixture
def files(s3_environment: Any) -> Any:
    files = S3FileSystem(use_listings_cache=False)
    bucket = f"guards-{uuid.uuid4().hex[:8]}"
    files.mkdir(bucket)
    return files, bucket


def test_a_job_on_an_object_store(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    store, bucket = files
    location = f"s3://{bucket}/lake/checkpoints/orders"
    job = make_job("orders", location)
    asked: list[str] = []
    real = S3FileSystem._call_s3

    async def counted(self: Any, method: str, *arguments: Any, **options: Any) -> Any:
        asked.append(method)
        return await real(self, method, *arguments, **options)

    monkeypatch.setattr(S3FileSystem, "_call_s3", counted)

    def codes(place: str = location, name: str = "orders") -> list[str]:
        asked.clear()
        records = open_records(place)
        found = check_start(make_job(name, place), records, given_by_hand=False)
        assert len(asked) <= REQUESTS_MAX, asked
        return [finding.code for finding in found]

    assert codes() == []
    remember_identity(job, open_records(location), QUERY_ID)
    assert codes() == ["HF211"]
    store.pipe_file(f"{location}/metadata", f'{{"id":"{QUERY_ID}"}}'.encode())
    for batch in range(120):
        store.pipe_file(f"{location}/offsets/{batch}", b"v1")
        store.pipe_file(f"{location}/state/0/0/{batch}.delta", b"")
    assert codes() == []
    assert codes(location.replace("s3://", "s3a://")) == []
    assert codes(f"{location}/inner", "inner") == ["HF209"]
    store.pipe_file(f"s3://{bucket}/lake/_spark_metadata/9.compact", b"v1")
    assert codes() == ["HF210"]
    store.rm(f"s3://{bucket}/lake/_spark_metadata", recursive=True)
    store.pipe_file(
        f"s3://{bucket}/lake/checkpoints/sales/metadata", b'{"id":"%s"}' % QUERY_ID.encode()
    )
    assert codes(f"s3://{bucket}/lake/checkpoints/sales", "sales") == ["HF218"]
