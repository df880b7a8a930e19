"""The files sink on S3: whole batches by the ledger; by the folder never a row that has no mark."""

import os
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas  # noqa: F401
import pyarrow.parquet
import pytest
from s3fs import S3FileSystem
from scripts.servers.moto import S3Server

from holdfast.adapters.sinks.files.options import FilesSinkOptions
from holdfast.adapters.sinks.files.sink import FilesSink, open_sink
from holdfast.adapters.sinks.files.steps import Step
from holdfast.errors import FencedError, MalformedError, RefusedError
from holdfast.files import published
from holdfast.testing.crashes import CrashTests
from holdfast.testing.protocol import ProtocolTests
from holdfast.testing.races import RaceTests
from tests.lease.conftest import s3_environment, server
from tests.sinks.files_tables import COLUMNS, OTHER, QUERY, Killed, Row, batch, wanted

__all__ = ["s3_environment", "server"]

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]
_BUCKET = "HOLDFAST_TEST_BUCKET"


@pytest.fixture(autouse=True)
def bucket(s3_environment: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    name = f"lake-{uuid.uuid4().hex[:12]}"
    s3_environment.client().create_bucket(Bucket=name)
    monkeypatch.setenv(_BUCKET, name)
    yield name


def address(folder: Path) -> str:
    """A table of its own for each folder; other processes know the bucket by the environment."""
    return f"s3://{os.environ[_BUCKET]}/{folder.resolve().as_posix().strip('/')}/events"


def rows_at(files: tuple[str, ...] | list[str], columns: tuple[str, ...]) -> list[Row]:
    store = S3FileSystem()
    found: list[Row] = []
    for name in files:
        with store.open(name, "rb") as file:
            table = pyarrow.parquet.ParquetFile(file).read()
            found += zip(*(table.column(c).to_pylist() for c in columns), strict=True)
    return found


class TestByLedger(ProtocolTests):
    """Kills and pauses come at the steps; a store has no file operations of ours to hold."""

    test_killed_at_every_step = CrashTests.test_killed_at_every_step
    test_a_paused_writer_is_fenced = RaceTests.test_a_paused_writer_is_fenced

    def open_sink(self, folder: Path) -> FilesSink:
        options = FilesSinkOptions(path=address(folder), shared=True)
        return FilesSink(options, page_sizes=(2,))

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        store = S3FileSystem()
        beside = address(folder).removesuffix("/events") + "/_events.ledger/owner.json"
        if not store.exists(beside):
            return []
        return rows_at(published(address(folder)).files, ("id", "version", "text"))


def by_folder(table: str) -> Counter[Row]:
    store = S3FileSystem()
    store.invalidate_cache()
    return Counter(rows_at(store.find(table.removeprefix("s3://")), COLUMNS))


def opened(table: str, epoch: int = 1) -> FilesSink:
    sink = open_sink({"path": table})
    sink.open(QUERY, epoch)
    return sink


def test_a_reader_of_the_folder_sees_a_part_of_the_newest_batch_at_most(bucket: str) -> None:
    """Killed between two copies: the ledger shows one batch, the folder a part of the second."""
    table = f"s3://{bucket}/data/orders"
    sink = open_sink({"path": table, "partition_by": ["day"]})
    sink.open(QUERY, 1)
    assert sink.write(batch(sink, 0))
    copy, copies = sink._place._copy, []  # type: ignore[attr-defined]

    def one_copy(*arguments: Any) -> None:
        if copies:
            raise Killed
        copies.append(copy(*arguments))

    sink._place._copy = one_copy  # type: ignore[attr-defined]
    with pytest.raises(Killed):
        sink.write(batch(sink, 1))
    assert published(table).batches == 1
    store = S3FileSystem()
    assert len(store.find(f"{bucket}/data/orders/batch=1")) == 1
    again = open_sink({"path": table, "partition_by": ["day"]})
    again.open(QUERY, 2)
    assert again.write(batch(again, 1, epoch=2)) is False
    assert published(table).rows == 10
    store.invalidate_cache()
    assert len(store.find(f"{bucket}/data/orders/batch=1")) == 2
    assert not store.find(f"{bucket}/data/_orders.ledger/staging")


@pytest.mark.parametrize("step", ["staged", "commit", "marked"])
def test_what_has_no_mark_is_seen_by_nobody(step: Step, bucket: str) -> None:
    table = f"s3a://{bucket}/data/orders"
    sink = opened(table)
    assert sink.write(batch(sink, 0))

    def stop(reached: Step) -> None:
        if reached == step:
            raise Killed

    sink.listen(stop)
    sink._place.discard = lambda staged: None  # type: ignore[method-assign]
    with pytest.raises(Killed):
        sink.write(batch(sink, 1))
    plain = table.replace("s3a://", "s3://")
    assert by_folder(plain) == wanted(0)
    assert published(table).batches == 1
    with pytest.raises(RefusedError, match="belongs to query"):
        open_sink({"path": table}).open(OTHER, 9)
    again = opened(table, epoch=2)
    assert again.write(batch(again, 1, epoch=2)) is (step != "marked")
    assert by_folder(plain) == wanted(0, 1)
    with pytest.raises(FencedError):
        sink.write(batch(sink, 2))


def test_what_was_altered_is_told(bucket: str, s3_environment: S3Server) -> None:
    table = f"s3://{bucket}/data/orders"
    sink = opened(table)
    assert sink.write(batch(sink, 0))
    client = s3_environment.client()
    [name] = [key.removeprefix(f"{bucket}/") for key in S3FileSystem().find(table)]
    client.put_object(Bucket=bucket, Key=name, Body=b"short")
    with pytest.raises(MalformedError, match="bytes"):
        published(table)
    client.delete_object(Bucket=bucket, Key=name)
    with pytest.raises(MalformedError, match="missing"):
        published(table)


def paged(table: str, epoch: int = 1) -> FilesSink:
    sink = FilesSink(FilesSinkOptions(path=table), page_sizes=(3, 9))
    sink.open(QUERY, epoch)
    return sink


def test_pages_spare_requests(bucket: str, s3_environment: S3Server) -> None:
    table = f"s3://{bucket}/data/orders"
    sink = paged(table)
    for batch_id in range(19):
        assert sink.write(batch(sink, batch_id))
    s3_environment.forget()
    found = published(table)
    asked = [target for _, target in s3_environment.requests()]
    read = [target for target in asked if "/_orders.ledger/" in target.partition("?")[0]]
    # The owner, two large pages, the rest of the entries; each file of the table by one listing.
    assert len(read) == 1 + 2 + 2
    assert len(asked) <= len(read) + 4
    assert Counter(rows_at(found.files, COLUMNS)) == wanted(*range(19))
    client = s3_environment.client()
    prefix = f"data/_orders.ledger/pages/{QUERY}/"
    pages = client.list_objects_v2(Bucket=bucket, Prefix=prefix)["Contents"]
    assert len(pages) == 6 + 2
    for page in pages:
        client.delete_object(Bucket=bucket, Key=page["Key"])
    assert published(table) == found, "who knows no pages reads the same"


@pytest.mark.parametrize("moment", ["before", "after"])
def test_killed_around_a_page(moment: str, bucket: str) -> None:
    table = f"s3://{bucket}/data/orders"
    sink = paged(table)
    records: Any = sink._place.records
    create = records.create

    def killed(name: str, data: bytes) -> bool:
        if name.startswith("pages/") and moment == "before":
            raise Killed
        made: bool = create(name, data)
        if name.startswith("pages/"):
            raise Killed
        return made

    records.create = killed
    assert sink.write(batch(sink, 0))
    with pytest.raises(Killed):
        sink.write(batch(sink, 1))
    assert Counter(rows_at(published(table).files, COLUMNS)) == wanted(0, 1)
    again = paged(table, epoch=2)
    assert again.write(batch(again, 1, epoch=2)) is False
    for batch_id in range(2, 9):
        assert again.write(batch(again, batch_id, epoch=2))
    assert Counter(rows_at(published(table).files, COLUMNS)) == wanted(*range(9))
    with pytest.raises(FencedError):
        sink.write(batch(sink, 2))


def test_places_that_are_not_for_us(bucket: str, s3_environment: S3Server) -> None:
    client = s3_environment.client()
    client.put_object(Bucket=bucket, Key="a/_spark_metadata/0", Body=b"v1")
    with pytest.raises(RefusedError, match="Spark's own file sink"):
        opened(f"s3://{bucket}/a")
    client.put_object(Bucket=bucket, Key="b/theirs.csv", Body=b"1")
    with pytest.raises(RefusedError, match=r"holds 'theirs\.csv'"):
        opened(f"s3://{bucket}/b")
