"""The files sink: what it refuses, what it cleans."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from holdfast.adapters.sinks.files.sink import open_sink
from holdfast.adapters.sinks.files.steps import Step
from holdfast.errors import (
    FencedError,
    InternalError,
    MalformedError,
    NewerVersionError,
    RefusedError,
    UnreachableError,
    UsageError,
)
from holdfast.files import published
from tests.sinks.files_tables import (
    OTHER,
    QUERY,
    batch,
    counted,
    filled,
    killed_at,
    log_of,
    opened,
    wanted,
)


def test_the_mark_is_there_and_the_files_come_with_the_next_start(tmp_path: Path) -> None:
    table = tmp_path / "t"
    filled(table, 1)
    killed_at(table, "marked", 1)
    assert published(table).batches == 1
    assert [path.name for path in table.iterdir()] == ["batch=0"]
    again = opened(table, epoch=2)
    assert published(table).batches == 2
    assert again.last_batch(QUERY) == 1
    assert again.write(batch(again, 1, epoch=2)) is False
    assert counted(
        duckdb.sql(f"SELECT id, day, text FROM '{table}/*/*.parquet'").fetchall()
    ) == wanted(0, 1)


@pytest.mark.parametrize("step", ["staged", "commit"])
def test_leftovers_are_removed_and_nothing_else(step: Step, tmp_path: Path) -> None:
    table = tmp_path / "t"
    filled(table, 1)
    killed_at(table, step, 1)
    staging = tmp_path / "_t.ledger" / "staging" / QUERY
    assert len(list(staging.iterdir())) == 1
    half = log_of(table) / ".000000000003.json.abc.tmp"
    half.write_text("{")
    foreign = staging / "somebody's notes.txt"
    foreign.write_text("keep me")
    other = tmp_path / "_t.ledger" / "staging" / OTHER / "1-1-abc"
    other.mkdir(parents=True)
    sink = opened(table, epoch=2)
    assert [path.name for path in staging.iterdir()] == [foreign.name]
    assert other.is_dir() and not half.exists()
    assert published(table).batches == 1
    assert sink.write(batch(sink, 1, epoch=2))
    assert published(table).rows == 10


def test_cleaning_has_a_bound_and_goes_on_at_the_next_start(tmp_path: Path) -> None:
    table = tmp_path / "t"
    filled(table, 1)
    staging = tmp_path / "_t.ledger" / "staging" / QUERY
    for number in range(5):
        (staging / f"1-1-{number}").mkdir(parents=True)
    sink = open_sink({"path": str(table)})
    ticks: Iterator[float] = iter([0.0, 1.0, 2.0, *[100.0] * 99])
    sink._place._clock = lambda: next(ticks)  # type: ignore[attr-defined]
    sink.open(QUERY, 2)
    assert len(list(staging.iterdir())) == 3
    opened(table, epoch=3)
    assert not list(staging.iterdir())


def test_a_batch_that_comes_with_other_offsets_is_refused(tmp_path: Path) -> None:
    sink = filled(tmp_path / "t")
    for batch_id in (2, 0):
        with pytest.raises(RefusedError, match="other offsets"):
            sink.write(batch(sink, batch_id, end=99))
    assert sink.write(batch(sink, 2)) is False
    assert published(tmp_path / "t").batches == 3


def test_a_manifest_says_what_lies_there(tmp_path: Path) -> None:
    filled(tmp_path / "t", 1)
    entry = json.loads((log_of(tmp_path / "t") / "000000000002.json").read_text())
    [file] = (tmp_path / "t" / "batch=0").iterdir()
    data = file.read_bytes()
    assert entry["files"] == [
        {
            "path": file.name,
            "size_bytes": len(data),
            "rows": 5,
            "digest": hashlib.sha256(data).hexdigest(),
        }
    ]
    told = (entry["batch"], entry["epoch"], entry["rows"], entry["folder"], entry["offsets"])
    assert told == (0, 1, 5, "batch=0", {"0": {"end": 0}})


def test_offsets_are_compared_as_the_ledger_keeps_them(tmp_path: Path) -> None:
    sink = opened(tmp_path / "t")
    odd = {"file": "\udcff", "range": (1, 2)}
    for batch_id in (0, 1):
        assert sink.write(batch(sink, batch_id, end=odd))
    assert sink.write(batch(sink, 1, end=odd)) is False
    with pytest.raises(InternalError, match="cannot be kept"):
        sink.write(batch(sink, 2, end={1, 2}))


def test_a_batch_without_rows_leaves_a_mark_alone(tmp_path: Path) -> None:
    sink = filled(tmp_path / "t", 1)
    assert sink.write(batch(sink, 1, rows=[])) is True
    assert sink.last_batch(QUERY) == 1
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["batch=0"]
    assert not list((tmp_path / "_t.ledger" / "staging" / QUERY).iterdir())
    found = published(tmp_path / "t")
    assert (found.batches, found.rows, len(found.files)) == (2, 5, 1)


def test_the_folder_of_another_query_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "t")
    with pytest.raises(RefusedError, match=f"belongs to query {QUERY}"):
        opened(tmp_path / "t", query=OTHER, epoch=9)
    with pytest.raises(RefusedError, match="belongs to query"):
        opened(tmp_path / "t", shared=True)
    with pytest.raises(RefusedError, match=r"begun as parquet.*declared as csv"):
        opened(tmp_path / "t", format="csv")
    with pytest.raises(RefusedError, match="partitioned by day"):
        opened(tmp_path / "t", partition_by="day")


def test_the_folder_of_sparks_file_sink_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t" / "_spark_metadata").mkdir(parents=True)
    with pytest.raises(RefusedError, match="belongs to Spark's own file sink"):
        opened(tmp_path / "t")


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "theirs.parquet").write_bytes(b"")
    with pytest.raises(RefusedError, match=r"holds 'theirs\.parquet'"):
        opened(tmp_path / "t")
    assert not (tmp_path / "_t.ledger").exists()


def test_what_lies_in_the_way_is_not_overwritten(tmp_path: Path) -> None:
    sink = filled(tmp_path / "t", 1)
    theirs = tmp_path / "t" / "batch=1" / "theirs.txt"
    theirs.parent.mkdir()
    theirs.write_text("mine")
    with pytest.raises(RefusedError, match="something else lies where the files of batch 1"):
        sink.write(batch(sink, 1))
    assert theirs.read_text() == "mine"
    shutil.move(theirs.parent, tmp_path / "away")
    assert opened(tmp_path / "t", epoch=2).last_batch(QUERY) == 1
    assert published(tmp_path / "t").rows == 10


def alter(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_an_altered_ledger_is_told(tmp_path: Path) -> None:
    filled(tmp_path / "t")
    entry = log_of(tmp_path / "t") / "000000000003.json"
    kept = entry.read_bytes()
    alter(entry, rows=7)
    with pytest.raises(MalformedError, match="its digest does not fit") as told:
        published(tmp_path / "t")
    assert "000000000003" in told.value.subject
    assert told.value.next_action
    entry.write_bytes(b"{")
    with pytest.raises(MalformedError, match="no JSON"):
        published(tmp_path / "t")
    entry.unlink()
    with pytest.raises(MalformedError, match="it is missing"):
        published(tmp_path / "t")
    other = json.loads(kept)
    shutil.copy(log_of(tmp_path / "t") / "000000000002.json", entry)
    with pytest.raises(MalformedError, match="says that it is entry 2"):
        published(tmp_path / "t")
    assert other["version"] == 1


def test_an_altered_newest_entry_stops_the_next_start(tmp_path: Path) -> None:
    filled(tmp_path / "t")
    newest = max(log_of(tmp_path / "t").iterdir())
    kept = newest.read_bytes()
    alter(newest, last_batch=None)
    with pytest.raises(MalformedError):
        opened(tmp_path / "t", epoch=2)
    newest.write_bytes(kept)
    alter(newest, version=2)
    with pytest.raises(NewerVersionError):
        opened(tmp_path / "t", epoch=2)


def test_a_file_that_is_missing_or_of_another_size_is_told(tmp_path: Path) -> None:
    filled(tmp_path / "t")
    [file] = (tmp_path / "t" / "batch=2").iterdir()
    kept = file.read_bytes()
    file.write_bytes(kept[:-1])
    for look in (lambda: published(tmp_path / "t"), lambda: opened(tmp_path / "t", epoch=2)):
        with pytest.raises(MalformedError, match=r"batch 2 is not as it was written: .* bytes"):
            look()
    file.unlink()
    for look in (lambda: published(tmp_path / "t"), lambda: opened(tmp_path / "t", epoch=2)):
        with pytest.raises(MalformedError, match="missing"):
            look()
    shutil.rmtree(tmp_path / "t" / "batch=2")
    for look in (lambda: published(tmp_path / "t"), lambda: opened(tmp_path / "t", epoch=2)):
        with pytest.raises(MalformedError, match=r"missing|gone"):
            look()
    file.parent.mkdir()
    file.write_bytes(kept)
    assert published(tmp_path / "t").rows == 15


def test_a_ledger_that_goes_away_while_it_runs_is_told(tmp_path: Path) -> None:
    sink = filled(tmp_path / "t")
    shutil.rmtree(tmp_path / "_t.ledger")
    with pytest.raises(RefusedError, match="has lost the query"):
        sink.write(batch(sink, 3))
    with pytest.raises(RefusedError, match="holds 'batch=0'"):
        opened(tmp_path / "t", epoch=2)


def test_columns_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    sink = opened(tmp_path / "t", batch_column="DAY")
    with pytest.raises(RefusedError, match="column 'DAY', as the folders are called"):
        sink.write(batch(sink, 0))
    other = opened(tmp_path / "u", partition_by=["hour"])
    with pytest.raises(RefusedError, match="no column 'hour'"):
        other.write(batch(other, 0))
    assert sink.last_batch(QUERY) is None


def test_mistakes_of_the_caller(tmp_path: Path) -> None:
    sink = open_sink({"path": str(tmp_path / "t")})
    with pytest.raises(InternalError, match="not opened"):
        sink.write(batch(sink, 0))
    with pytest.raises(FencedError):
        opened(tmp_path / "t", epoch=3)
        opened(tmp_path / "t", epoch=2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "'path' is missing"),
        ({"path": " "}, "path cannot be empty"),
        ({"path": "t", "format": "orc"}, "format cannot be 'orc'"),
        ({"path": "t", "batch_column": "a b"}, "batch_column cannot be"),
        ({"path": "t", "partition_by": ["a", "A"]}, "names a column twice"),
        ({"path": "t", "partition_by": ["batch"]}, "is a folder of ours"),
        ({"path": "t", "mode": "overwrite"}, "'mode' is not for this sink"),
        ({"path": "t", "shared": "perhaps"}, "shared must be true or false"),
        ({"path": "/"}, "needs a folder above it"),
        ({"path": "s3a://bucket"}, "needs a folder above it"),
        ({"path": "gs://bucket/t"}, "not among the stores"),
        ({"path": "/t", "ledger": "s3a://b/l"}, "on the same disk"),
    ],
)
def test_options_that_cannot_be_right(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told) as error:
        open_sink(options)
    assert error.value.next_action


def test_no_right_to_write_is_said_so(tmp_path: Path) -> None:
    """In a process of its own, which gives up its rights where it has more than others."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    sink = open_sink({"path": str(closed / "t")})
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setuid(65534)
            sink.open(QUERY, 1)
        except UnreachableError as error:
            os.write(writing, f"{error.message} {error.next_action}".encode())
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        told = said.read().decode()
    assert "ermission" in told.partition(" check ")[0] and "permissions" in told


def test_a_full_disk_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreachableError):
        opened(tmp_path / "file")
    sink = filled(tmp_path / "t", 1)

    def full(source: Any, target: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    for name in ("link", "rename"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            with pytest.raises(UnreachableError, match="No space left on device"):
                sink.write(batch(sink, 1))
    assert sink.write(batch(sink, 1)) is False
    assert published(tmp_path / "t").rows == 10
