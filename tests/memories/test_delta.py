"""What a Delta table remembers, on tables that delta-rs wrote."""

import json
import os
import shutil
import uuid
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from scripts.servers.moto import S3Server

from holdfast.adapters.memories.opening import read_memory
from holdfast.adapters.sinks.delta_mark import DeltaMark, application_id, note_of
from holdfast.core.evidence.sink_memory import OtherWriter
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.job import SinkSpec
from tests.lease.conftest import s3_environment, server

__all__ = ["s3_environment", "server"]

QUERY = "6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11"
OTHER = "9d3b2f9a-3c1b-4d8e-8f0e-1a6f0f9f3a22"
ROWS = pyarrow.table({"id": [1, 2, 3]})


def append(
    table: Path | str, app: str, version: int, *, note: str | None = None, **more: Any
) -> None:
    write_deltalake(
        table,
        ROWS,
        mode="append",
        commit_properties=CommitProperties(
            app_transactions=[Transaction(app, version, 1_700_000_000_000 + version)],
            custom_metadata=None if note is None else {"userMetadata": note},
        ),
        **more,
    )


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold"
    for batch in range(4):
        append(path, QUERY, batch)
    return path


def test_the_highest_version_of_the_query_and_its_commits(gold: Path) -> None:
    append(gold, OTHER, 7)
    found = read_memory(f"delta:{gold}", QUERY)
    assert (found.kind, found.exists, found.skips) == ("delta", True, "at-or-below")
    assert isinstance(found.last, Known) and found.last.value == 3
    assert isinstance(found.key, Known) and found.key.value == QUERY
    assert found.others == (OtherWriter(key=OTHER, last=7),)
    assert [(mark.batch, mark.rows, mark.where) for mark in found.batches] == [
        (3, 3, "version 3"),
        (2, 3, "version 2"),
        (1, 3, "version 1"),
        (0, 3, "version 0"),
    ]
    assert found.oldest_known == 0 and found.notes == ()
    assert isinstance(found.table_id, Known)
    assert found.table_id.value == str(DeltaTable(gold).metadata().id)


def test_another_query_id_finds_nothing_and_the_trace_of_the_first(gold: Path) -> None:
    found = read_memory(f"delta:{gold}", OTHER)
    assert isinstance(found.last, Absent) and isinstance(found.key, Absent)
    assert found.others == (OtherWriter(key=QUERY, last=3),)


def test_without_a_query_id_every_writer_is_told(gold: Path) -> None:
    found = read_memory(f"delta:{gold}", None)
    assert isinstance(found.last, Absent)
    assert found.others == (OtherWriter(key=QUERY, last=3),)


def test_a_writer_of_long_ago_is_found_in_the_checkpoint_of_the_log(gold: Path) -> None:
    append(gold, OTHER, 0)
    DeltaTable(gold).create_checkpoint()
    for version in range(4):
        (gold / "_delta_log" / f"{version:020d}.json").unlink()
    append(gold, OTHER, 1)
    found = read_memory(f"delta:{gold}", OTHER)
    assert found.others == (OtherWriter(key=QUERY, last=3),)
    mine = read_memory(f"delta:{gold}", QUERY)
    assert isinstance(mine.last, Known) and mine.last.value == 3
    assert mine.batches == () and mine.oldest_known is None


def test_an_application_of_foreach_batch(gold: Path) -> None:
    for version in range(3):
        append(gold, "nightly load", version)
    found = read_memory(f"delta-txn:{gold}?app=nightly%20load", QUERY)
    assert found.kind == "delta-txn"
    assert isinstance(found.key, Known) and found.key.value == "nightly load"
    assert isinstance(found.last, Known) and found.last.value == 2
    assert [mark.where for mark in found.batches] == ["version 6", "version 5", "version 4"]
    assert found.oldest_known is None, "code in foreachBatch may leave batches out"
    assert found.others == (OtherWriter(key=QUERY, last=3),)


def test_the_ledger_of_our_own_sink(tmp_path: Path) -> None:
    path, app = tmp_path / "gold", application_id(QUERY, "gold")
    append(path, app, DeltaMark(epoch=1, last_batch=None).version)
    append(path, app, DeltaMark(epoch=1, last_batch=0).version, note=note_of(QUERY, 0, 1, ""))
    append(path, app, DeltaMark(epoch=2, last_batch=0).version)
    append(path, app, DeltaMark(epoch=2, last_batch=1).version, note=note_of(QUERY, 1, 2, ""))
    options = {"path": str(path), "mode": "upsert", "key": ["id"]}
    for where in (f"delta:{path}", SinkSpec(kind="delta", options=options)):
        found = read_memory(where, QUERY)
        assert (found.kind, found.skips) == ("delta", "checked")
        assert isinstance(found.last, Known) and found.last.value == 1
        assert [(mark.batch, mark.where) for mark in found.batches] == [
            (1, "version 3"),
            (0, "version 1"),
        ]
    native = read_memory(SinkSpec(kind="delta", options={"path": str(path)}), QUERY)
    assert isinstance(native.last, Absent), "Delta's own sink looks under the query id alone"
    assert native.others == (OtherWriter(key=app, last=1),)


def test_a_memory_that_was_lowered(gold: Path) -> None:
    DeltaTable(gold).restore(1)
    append(gold, QUERY, 1)
    found = read_memory(f"delta:{gold}", QUERY)
    assert isinstance(found.last, Known) and found.last.value == 1
    assert [mark.batch for mark in found.batches] == [1, 0]
    assert any("lowered" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "wanted_ms"),
    [("interval 7 days", 604_800_000), ("interval 1 week 2 hours", 612_000_000), ("soon", None)],
)
def test_after_how_long_the_table_forgets(gold: Path, text: str, wanted_ms: int | None) -> None:
    log = gold / "_delta_log"
    metadata = next(
        action["metaData"]
        for line in (log / f"{0:020d}.json").read_text().splitlines()
        if "metaData" in (action := json.loads(line))
    )
    metadata["configuration"] = {"delta.setTransactionRetentionDuration": text}
    (log / f"{4:020d}.json").write_text(json.dumps({"metaData": metadata}) + "\n")
    found = read_memory(f"delta:{gold}", QUERY)
    assert found.forgets_after_ms == wanted_ms
    assert any("forgets" in note for note in found.notes) == (wanted_ms is None)


def test_a_table_that_is_not_there_yet(tmp_path: Path) -> None:
    found = read_memory(f"delta:{tmp_path / 'none'}", QUERY)
    assert (found.kind, found.exists) == ("delta", False)
    assert isinstance(found.last, Absent) and found.notes


def test_a_folder_of_the_file_sink_is_no_delta_table(tmp_path: Path) -> None:
    (tmp_path / "_spark_metadata").mkdir()
    found = read_memory(f"delta:{tmp_path}", QUERY)
    assert isinstance(found.last, Unreadable) and "file sink" in found.last.reason
    assert found.exists is None


def test_a_damaged_log_is_unreadable_and_not_empty(gold: Path) -> None:
    (gold / "_delta_log" / f"{2:020d}.json").write_bytes(b"\x00 not json")
    found = read_memory(f"delta:{gold}", QUERY)
    assert isinstance(found.last, Unreadable) and found.kind == "delta"


def test_an_empty_log_is_unreadable_and_not_a_missing_table(gold: Path) -> None:
    shutil.rmtree(gold / "_delta_log")
    (gold / "_delta_log").mkdir()
    assert isinstance(read_memory(f"delta:{gold}", QUERY).last, Unreadable)


def test_of_many_versions_only_the_newest_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "gold"
    append(path, QUERY, 0)
    log = path / "_delta_log"
    for version in range(1, 400):
        said = {"txn": {"appId": QUERY, "version": version, "lastUpdated": version}}
        (log / f"{version:020d}.json").write_text(json.dumps(said) + "\n")
    found = read_memory(f"delta:{path}", QUERY)
    assert isinstance(found.last, Known) and found.last.value == 399
    assert [mark.batch for mark in found.batches] == list(range(399, 199, -1))
    assert found.oldest_known == 200


def test_writers_that_may_have_been_missed_are_owned_up_to(tmp_path: Path) -> None:
    path = tmp_path / "gold"
    append(path, OTHER, 5)
    log = path / "_delta_log"
    for version in range(1, 250):
        said = {"txn": {"appId": QUERY, "version": version, "lastUpdated": version}}
        (log / f"{version:020d}.json").write_text(json.dumps(said) + "\n")
    found = read_memory(f"delta:{path}", QUERY)
    assert found.others == () and any("last 200 versions only" in note for note in found.notes)
    DeltaTable(path).create_checkpoint()
    again = read_memory(f"delta:{path}", QUERY)
    assert again.others == (OtherWriter(key=OTHER, last=5),) and again.notes == ()


@pytest.mark.server
def test_on_s3_with_few_requests(s3_environment: S3Server) -> None:
    bucket = f"lake-{uuid.uuid4().hex[:12]}"
    s3_environment.client().create_bucket(Bucket=bucket)
    table = f"s3://{bucket}/gold"
    options = {"allow_http": "true", "aws_s3_allow_unsafe_rename": "true"}
    for batch in range(22):
        append(table, OTHER if batch < 2 else QUERY, batch, storage_options=options)
    DeltaTable(table, storage_options=options).create_checkpoint()
    s3_environment.forget()
    found = read_memory(f"delta:{table}", QUERY)
    assert isinstance(found.last, Known), found.last
    assert found.last.value == 21
    assert [mark.batch for mark in found.batches] == list(range(21, 1, -1))
    assert found.others == (OtherWriter(key=OTHER, last=1),) and found.notes == ()
    assert len(s3_environment.requests()) <= 80
    missing = read_memory(f"delta:s3://{bucket}/none", QUERY)
    assert missing.exists is False and isinstance(missing.last, Absent)


@pytest.mark.server
def test_a_store_that_does_not_answer(s3_environment: S3Server) -> None:
    os.environ["AWS_ENDPOINT_URL"] = "http://127.0.0.1:9"
    found = read_memory("delta:s3://lake/gold", QUERY)
    assert isinstance(found.last, Unreadable) and found.exists is None
    assert os.environ["AWS_SECRET_ACCESS_KEY"] not in repr(found)
