"""What `_spark_metadata` remembers, by its names: on a disk and on S3."""

import json
import uuid
from pathlib import Path

import pytest
from scripts.servers.moto import S3Server

from holdfast.adapters.memories.opening import read_memory
from holdfast.core.evidence.two_ledgers import differences
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.job import SinkSpec
from tests.lease.conftest import s3_environment, server

__all__ = ["s3_environment", "server"]

QUERY = "6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11"
ENTRY = (
    '{"path":"file:///out/part-0.parquet","size":9,"isDir":false,"modificationTime":1,'
    '"blockReplication":1,"blockSize":1,"action":"add"}'
)


def logged(folder: Path, *names: str, text: str = f"v1\n{ENTRY}") -> Path:
    log = folder / "_spark_metadata"
    log.mkdir(parents=True, exist_ok=True)
    for name in names:
        (log / name).write_text(text)
        (log / f".{name}.crc").write_bytes(b"crc\x00")
    return folder


def numbered(first: int, end: int) -> list[str]:
    return [f"{n}.compact" if n % 10 == 9 else str(n) for n in range(first, end)]


@pytest.mark.parametrize("kind", ["spark-files", "parquet", "spark-parquet", "lines", "file"])
def test_the_newest_name_is_the_last_batch_of_whatever_query(tmp_path: Path, kind: str) -> None:
    logged(tmp_path, *numbered(0, 13))
    found = read_memory(f"{kind}:{tmp_path}", QUERY)
    assert (found.kind, found.exists, found.skips) == ("file-sink", True, "at-or-below")
    assert isinstance(found.last, Known) and found.last.value == 12
    assert isinstance(found.key, Absent), "batches are known by their ids alone"
    assert [mark.batch for mark in found.batches] == list(range(12, -1, -1))
    assert found.batches[3].where == "_spark_metadata/9.compact"
    assert found.batches[0].rows is None and found.batches[0].at_ms is not None
    assert (found.oldest_known, found.notes) == (0, ())
    declared = SinkSpec(kind="file", options={"path": str(tmp_path), "format": "json"})
    assert read_memory(declared, None) == found


def test_a_compaction_alone_is_a_batch(tmp_path: Path) -> None:
    found = read_memory(f"spark-files:{logged(tmp_path, '9.compact')}", QUERY)
    assert isinstance(found.last, Known) and found.last.value == 9


def test_names_that_spark_cleaned_away_are_not_missing(tmp_path: Path) -> None:
    logged(tmp_path, *numbered(27, 33))
    found = read_memory(f"spark-files:{tmp_path}", QUERY)
    assert (found.oldest_known, found.notes) == (27, ())
    assert differences(range(33), range(33), found).rows == ()


def test_a_name_that_is_missing_behind_the_compaction_is_told(tmp_path: Path) -> None:
    logged(tmp_path, *[name for name in numbered(27, 33) if name != "31"])
    found = read_memory(f"spark-files:{tmp_path}", QUERY)
    assert any("lacks batch 31" in each for each in found.damage)
    rows = differences(range(33), range(33), found).rows
    assert [(row.batch, row.differs) for row in rows] == [(31, "committed-not-in-sink")]


def test_of_many_batches_the_newest_are_listed(tmp_path: Path) -> None:
    log = tmp_path / "_spark_metadata"
    log.mkdir()
    for name in numbered(0, 1_003):
        (log / name).touch()
    (log / "1002").write_text("v1")
    found = read_memory(f"spark-files:{tmp_path}", QUERY)
    assert len(found.batches) == 200 and found.oldest_known == 803 and found.notes == ()


def test_damage_of_the_newest_file_is_told_and_the_batch_counts(tmp_path: Path) -> None:
    logged(tmp_path, "0")
    logged(tmp_path, "1", text="v1\nnot json")
    found = read_memory(f"spark-files:{tmp_path}", QUERY)
    assert isinstance(found.last, Known) and found.last.value == 1
    assert any("damaged" in each for each in found.damage)


def test_other_names_are_no_batches(tmp_path: Path) -> None:
    logged(tmp_path, "2", "x", "-3", ".4.tmp", "5.delta")
    found = read_memory(f"spark-files:{tmp_path}", QUERY)
    assert isinstance(found.last, Known) and found.last.value == 2


@pytest.mark.parametrize("there", ["nothing", "folder", "log"])
def test_what_is_not_there_yet(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "out"
    if there != "nothing":
        folder.mkdir()
    if there == "log":
        (folder / "_spark_metadata").mkdir()
    found = read_memory(f"spark-files:{folder}", QUERY)
    assert isinstance(found.last, Absent) and found.kind == "file-sink" and found.notes
    assert found.exists is (there == "log")


def test_a_delta_table_and_a_plain_file_are_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    found = read_memory(f"spark-files:{tmp_path}", QUERY)
    assert isinstance(found.last, Unreadable) and "Delta" in found.last.reason
    (tmp_path / "file").touch()
    assert isinstance(read_memory(f"spark-files:{tmp_path / 'file'}", QUERY).last, Unreadable)


@pytest.mark.server
def test_on_s3_with_few_requests(s3_environment: S3Server, tmp_path: Path) -> None:
    bucket = f"lake-{uuid.uuid4().hex[:12]}"
    s3_environment.client().create_bucket(Bucket=bucket)
    s3_environment.upload(bucket, "out", logged(tmp_path, *numbered(0, 23)))
    s3_environment.forget()
    found = read_memory(f"spark-files:s3a://{bucket}/out", QUERY)
    assert isinstance(found.last, Known) and found.last.value == 22
    assert found.batches[0].at_ms and len(found.batches) == 23 and found.notes == ()
    assert len(s3_environment.requests()) <= 3
    missing = read_memory(f"spark-files:s3://{bucket}/none", QUERY)
    assert isinstance(missing.last, Absent) and missing.exists is False
    gone = read_memory(f"spark-files:s3://{bucket}-gone/out", QUERY)
    assert not isinstance(gone.last, Known)


def test_data_files_that_are_gone_are_told(tmp_path: Path) -> None:
    log = tmp_path / "_spark_metadata"
    log.mkdir()
    entry = {
        "path": f"file://{tmp_path}/part-0.parquet",
        "size": 1,
        "isDir": False,
        "modificationTime": 1,
        "blockReplication": 1,
        "blockSize": 1,
        "action": "add",
    }
    (log / "0").write_text("v1\n" + json.dumps(entry))
    assert "part-0.parquet" in read_memory(f"parquet:{tmp_path}", None).damage[0]
    (tmp_path / "part-0.parquet").write_bytes(b"x")
    assert read_memory(f"parquet:{tmp_path}", None).damage == ()
