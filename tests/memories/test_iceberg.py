"""What an Iceberg table remembers: snapshots that pyiceberg wrote, with Spark's own summaries.

No Spark with Iceberg's jars runs here: the two properties that its streaming writer puts into the
summary of a snapshot are put there by pyiceberg.
"""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from scripts.servers.moto import S3Server

from holdfast.adapters.memories.opening import read_memory
from holdfast.core.evidence.sink_memory import OtherWriter
from holdfast.core.fact import Absent, Known, Unreadable
from tests.lease.conftest import s3_environment, server

catalogs = pytest.importorskip("pyiceberg.catalog")
config = pytest.importorskip("pyiceberg.utils.config")

__all__ = ["s3_environment", "server"]

QUERY = "6f0c2f2e-5a0c-4d57-9d1c-0f4f6f1f7a11"
OTHER = "9d3b2f9a-3c1b-4d8e-8f0e-1a6f0f9f3a22"
ROWS = pyarrow.table({"id": pyarrow.array([1, 2], pyarrow.int64())})
PREFIX = "PYICEBERG_CATALOG__LAKE__"


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyiceberg reads its variables when it is imported: let it read them again."""
    monkeypatch.setattr(catalogs, "_ENV_CONFIG", config.Config())


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv(f"{PREFIX}URI", f"sqlite:///{tmp_path / 'catalog.db'}")
    monkeypatch.setenv(f"{PREFIX}WAREHOUSE", f"file://{tmp_path / 'warehouse'}")
    settle(monkeypatch)
    made = catalogs.load_catalog("lake")
    made.create_namespace("shop")
    yield made
    made.close()


@pytest.fixture
def gold(catalog: Any) -> Any:
    table = catalog.create_table("shop.gold", schema=ROWS.schema)
    for batch in range(3):
        append(table, QUERY, batch)
    return table


def append(table: Any, query: str, batch: int) -> None:
    said = {"spark.sql.streaming.queryId": query, "spark.sql.streaming.epochId": str(batch)}
    table.append(ROWS, snapshot_properties=said)


def folder_of(table: Any) -> str:
    return str(table.location())


def test_the_newest_epoch_of_the_query_and_its_snapshots(gold: Any) -> None:
    gold.append(ROWS)
    append(gold, OTHER, 8)
    by_catalog = read_memory("iceberg:lake.shop.gold", QUERY)
    by_folder = read_memory(f"iceberg:{folder_of(gold)}", QUERY)
    for found in (by_catalog, by_folder):
        assert (found.kind, found.exists, found.skips) == ("iceberg", True, "at-or-below")
        assert isinstance(found.last, Known), found
        assert found.last.value == 2
        assert found.others == (OtherWriter(key=OTHER, last=8),)
        assert [(mark.batch, mark.rows) for mark in found.batches] == [(2, 2), (1, 2), (0, 2)]
        assert found.batches[0].at_ms and found.batches[0].where.startswith("snapshot ")
        assert isinstance(found.table_id, Known)
        assert found.table_id.value == str(gold.metadata.table_uuid)
    assert by_catalog.notes == ()
    assert any("without its catalogue" in note for note in by_folder.notes)


def test_a_rollback_takes_the_memory_back(gold: Any) -> None:
    first = gold.metadata.snapshots[0].snapshot_id
    gold.manage_snapshots().rollback_to_snapshot(first).commit()
    found = read_memory("iceberg:lake.shop.gold", QUERY)
    assert isinstance(found.last, Known) and found.last.value == 0
    assert any("2 batches of this query" in note for note in found.notes)


def test_expired_snapshots_are_forgotten(gold: Any) -> None:
    append(gold, OTHER, 0)
    for snapshot in gold.metadata.snapshots[:3]:
        gold.maintenance.expire_snapshots().by_id(snapshot.snapshot_id).commit()
    found = read_memory("iceberg:lake.shop.gold", QUERY)
    assert isinstance(found.last, Absent)
    assert any("expired" in note for note in found.notes)


def test_a_hint_decides_between_versions(gold: Any, tmp_path: Path) -> None:
    table = tmp_path / "hadoop"
    (table / "metadata").mkdir(parents=True)
    origin = sorted(Path(folder_of(gold).removeprefix("file://"), "metadata").glob("*.json"))
    for number, path in enumerate(origin, 1):
        (table / "metadata" / f"v{number}.metadata.json").write_bytes(path.read_bytes())
    (table / "metadata" / "version-hint.text").write_text(str(len(origin)))
    found = read_memory(f"iceberg:{table}", QUERY)
    assert isinstance(found.last, Known) and found.last.value == 2 and found.notes == ()
    (table / "metadata" / f"v{len(origin)}.metadata.json").write_text("{}")
    broken = read_memory(f"iceberg:{table}", QUERY)
    assert isinstance(broken.last, Unreadable)


def test_what_is_not_there(gold: Any, tmp_path: Path) -> None:
    for where in ("lake.shop.none", "lake.none.gold", str(tmp_path / "none"), str(tmp_path)):
        found = read_memory(f"iceberg:{where}", QUERY)
        assert isinstance(found.last, Absent) and found.exists is False, where


def test_a_catalogue_that_is_not_known_or_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(read_memory("iceberg:nowhere.shop.gold", QUERY).last, Unreadable)
    assert isinstance(read_memory("iceberg:gold", QUERY).last, Unreadable)
    monkeypatch.setenv("PYICEBERG_CATALOG__GONE__URI", "http://user:very-secret@127.0.0.1:9")
    monkeypatch.setenv("PYICEBERG_CATALOG__GONE__TYPE", "rest")
    settle(monkeypatch)
    found = read_memory("iceberg:gone.shop.gold", QUERY)
    assert isinstance(found.last, Unreadable) and "very-secret" not in repr(found)


@pytest.mark.server
def test_on_s3_with_few_requests(gold: Any, s3_environment: S3Server) -> None:
    bucket = f"lake-{uuid.uuid4().hex[:12]}"
    s3_environment.client().create_bucket(Bucket=bucket)
    s3_environment.upload(bucket, "gold", Path(folder_of(gold).removeprefix("file://")))
    s3_environment.forget()
    found = read_memory(f"iceberg:s3://{bucket}/gold", QUERY)
    assert isinstance(found.last, Known) and found.last.value == 2
    assert len(s3_environment.requests()) <= 4
