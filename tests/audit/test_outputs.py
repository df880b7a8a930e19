"""Readers of outputs, on real files: also while and after a writer was killed."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaProtocolError

from holdfast.adapters.outputs.opening import KINDS, open_output, root_of
from holdfast.core.crash.table import EMPTY, Table, canonical, table_of
from holdfast.errors import NotInstalledError, TooLargeError, UnreachableError, UsageError

NEW_YEAR = datetime.fromisoformat("2020-01-01")


def rows(table: Table) -> "Counter[tuple[str, ...]]":
    return Counter(table.rows)


def killed(code: str, folder: Path) -> None:
    """Run a program that says `now` on its way, and kill it there."""
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        process.send_signal(signal.SIGKILL)


# --- what a spec may be


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "parquet",
        "parquet:",
        "no such kind:x",
        "sqlite:file.db",
        "sqlite:?table=t",
        "kafka:host/topic",
        "kafka:host:9092",
        "kafka:host:9092/",
        "delta:s3a://bucket/table",
        "parquet:hdfs://host/folder",
        "module.:9function",
    ],
)
def test_a_bad_spec_is_said_with_the_forms(spec: str) -> None:
    for use in (open_output, root_of):
        with pytest.raises(UsageError) as caught:
            use(spec)
        assert any(form.partition(":")[0] in caught.value.next_action for form in KINDS.values())


@pytest.mark.parametrize(
    "spec",
    [
        "postgres:postgresql://me:hush-hush@host/db",
        "postgres:mysql://me:hush-hush@host/db?table=t",
        "postgres:me:hush-hush@host",
        "postgres:postgresql://me:hush-hush@more@host/db?table=t",
        'postgres:postgresql://me:hush-hush@host/db?table=a"b',
        "postgres:postgresql://me:hush-hush@host/db?table=a.b.c",
        "postgrs:postgresql://me:hush-hush@host/db?table=t",
        "delta:postgresql://me:hush-hush@host/db?table=t",
    ],
)
def test_a_bad_spec_shows_no_password(spec: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_output(spec)
    told = f"{caught.value.message} {caught.value.subject} {caught.value.next_action}"
    assert "hush" not in told and "table" in told.lower()


def test_only_what_lies_in_a_folder_has_a_root(tmp_path: Path) -> None:
    assert root_of(f"delta:{tmp_path}/t") == tmp_path / "t"
    assert root_of(f"sqlite:{tmp_path}/o.db?table=t") == tmp_path / "o.db"
    for spec in ("kafka:h:1/t", "postgres:postgresql://h/d?table=t", "some.module:rows"):
        assert root_of(spec) is None


def test_a_missing_library_is_said_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module, library, spec in (
        ("delta", "deltalake", "delta:x"),
        ("postgres", "psycopg", "postgres:postgresql://h/d?table=t"),
        ("kafka", "confluent_kafka", "kafka:h:1/t"),
    ):
        monkeypatch.delitem(sys.modules, f"holdfast.adapters.outputs.{module}", raising=False)
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(NotInstalledError, match=library) as caught:
            open_output(spec)
        assert re.fullmatch(r"pip install 'holdfast\[[a-z-]+\]'", caught.value.next_action)


# --- values


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.int64(7), 7),
        (np.float64(0.1), 0.1),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array([1, 2]), [1, 2]),
        (pa.scalar(7), 7),
        (pa.scalar({"a": [1]}), {"a": [1]}),
        (float("nan"), np.float64("nan")),
        (Decimal("1.50"), Decimal("1.5")),
        (Decimal("1E+2"), Decimal("100.00")),
        (pd.NaT, None),
        (datetime(2020, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), pd.Timestamp(0, tz="UTC")),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({1, 2}, frozenset({2, 1})),
        (memoryview(b"ab"), b"ab"),
    ],
)
def test_equal_values_are_equal_text(one: Any, other: Any) -> None:
    if isinstance(other, pd.Timestamp):
        other = pd.Timestamp("2020-01-01", tz="UTC")
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.0, -0.0),
        (0.1, 0.1 + 2**-56),
        (1, "1"),
        (None, "null"),
        (b"a", "a"),
        (Decimal("12345678901234567890123456789012345678"), Decimal(12345678901234567890) * 10**18),
        (Decimal("0." + "1" * 38), Decimal("0." + "1" * 37 + "2")),
        (pd.Timestamp(1), pd.Timestamp(2)),
        (NEW_YEAR, NEW_YEAR.replace(tzinfo=UTC)),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))), datetime(1, 1, 1, tzinfo=UTC)),
        (NEW_YEAR, date(2020, 1, 1)),
        (timedelta(microseconds=1), timedelta(microseconds=2)),
        (["a, b"], ["a", "b"]),
        ({"a": None}, {}),
    ],
)
def test_other_values_are_other_text(one: Any, other: Any) -> None:
    assert canonical(one) != canonical(other)


def test_an_output_without_end_is_not_read_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.core.crash.table.OUTPUT_ROWS_MAX", 10)
    assert len(table_of(["a"], ([n] for n in range(10))).rows) == 10
    with pytest.raises(TooLargeError):
        table_of(["a"], iter(lambda: [1], None))


# --- files


def sqlite_writer(journal: str) -> str:
    """Commits some rows; then changes all of them, more than fits into its cache, and hangs."""
    return (
        "import sqlite3, time\n"
        "c = sqlite3.connect('o.db', isolation_level=None)\n"
        f"c.execute('PRAGMA journal_mode = {journal}'); c.execute('PRAGMA cache_size = 10')\n"
        "c.execute('CREATE TABLE t (a INTEGER, b TEXT)'); c.execute('BEGIN')\n"
        "c.executemany('INSERT INTO t VALUES (1, ?)', [('x' * 900,)] * 500); c.execute('COMMIT')\n"
        "c.execute('BEGIN'); c.execute('UPDATE t SET a = 2')\n"
        "print('now', flush=True); time.sleep(60)\n"
    )


@pytest.mark.parametrize(("journal", "beside"), [("DELETE", "-journal"), ("WAL", "-wal")])
def test_sqlite_after_a_killed_writer(tmp_path: Path, journal: str, beside: str) -> None:
    output = open_output(f"sqlite:{tmp_path}/o.db?table=t")
    assert output.read() == EMPTY
    killed(sqlite_writer(journal), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert before[f"o.db{beside}"], "the writer left its journal"
    committed = {("1", f'"{"x" * 900}"'): 500}
    assert rows(output.read()) == committed
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert open_output(f"sqlite:{tmp_path}/o.db?table=other").read() == EMPTY
    # The control: without its journal it is another database.
    os.unlink(tmp_path / f"o.db{beside}")
    assert _rows_or_error(output) != committed


def _rows_or_error(output: Any) -> Any:
    try:
        return rows(output.read())
    except UnreachableError as error:
        return error


def write_parquet(path: Path, values: list[int], **columns: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"n": values, **columns}), path)
    return path


def log_entry(path: Path, action: str = "add") -> str:
    entry = {
        "path": path.as_uri(),
        "size": path.stat().st_size if path.exists() else 1,
        "isDir": False,
        "modificationTime": 1,
        "blockReplication": 1,
        "blockSize": 33554432,
        "action": action,
    }
    return json.dumps(entry)


def test_parquet_as_spark_and_as_others_see_it(tmp_path: Path) -> None:
    folder = tmp_path / "out put"
    plain, by_log = open_output(f"parquet:{folder}"), open_output(f"spark-parquet:{folder}")
    assert plain.read() == by_log.read() == EMPTY
    first = write_parquet(folder / "day=1" / "part-0.parquet", [1, 1])
    second = write_parquet(folder / "day=a%2Fb" / "part-1.parquet", [2])
    write_parquet(folder / "day=1" / "part-9.parquet", [3])  # of a batch that failed
    write_parquet(folder / "_temporary" / "part-8.parquet", [4])
    log = folder / "_spark_metadata"
    log.mkdir()
    (log / "0").write_text(f"v1\n{log_entry(first)}")
    (log / "1").write_text(f"v1\n{log_entry(second)}")
    (log / ".2.crc").write_bytes(b"x")
    kept = {('"1"', "1"): 2, ('"a/b"', "2"): 1}
    assert rows(by_log.read()) == kept
    assert rows(plain.read()) == {**kept, ('"1"', "3"): 1}
    (log / "2.compact").write_text(f"v1\n{log_entry(second)}")
    assert rows(by_log.read()) == {('"a/b"', "2"): 1}


def test_spark_folders_of_partitions_may_begin_with_an_underscore(tmp_path: Path) -> None:
    write_parquet(tmp_path / "_day=1" / "part-0.parquet", [1])
    assert len(open_output(f"parquet:{tmp_path}").read().rows) == 1


def test_a_torn_parquet_file_is_unreadable(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "part-0.parquet", [1, 2, 3])
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(UnreachableError, match="cannot be read"):
        open_output(f"parquet:{tmp_path}").read()


def test_timestamps_as_spark_writes_them_are_told_apart(tmp_path: Path) -> None:
    texts = ["9999-12-31T23:59:59.000000", "0001-01-01T00:00:00.000000"]
    moments = [datetime.fromisoformat(text) for text in texts]
    table = pa.table({"t": pa.array(moments, pa.timestamp("us"))})
    pq.write_table(table, tmp_path / "a.parquet", use_deprecated_int96_timestamps=True)
    found = open_output(f"parquet:{tmp_path}").read()
    assert rows(found) == Counter(
        (moment.isoformat(timespec="microseconds"),) for moment in moments
    )


def test_lines_are_rows(tmp_path: Path) -> None:
    (tmp_path / "part-0.json").write_text('{"a":1}\n{"a":1}\n')
    (tmp_path / "_SUCCESS").write_text("")
    assert list(rows(open_output(f"lines:{tmp_path}").read()).values()) == [2]


# --- Delta


def test_delta_before_its_first_version(tmp_path: Path) -> None:
    output = open_output(f"delta:{tmp_path}/t")
    assert output.read() == EMPTY
    log = tmp_path / "t" / "_delta_log"
    log.mkdir(parents=True)
    assert output.read() == EMPTY
    (log / ".00000000000000000000.json.1234.tmp").write_text('{"prot')
    write_parquet(tmp_path / "t" / "part-0.parquet", [1])
    assert output.read() == EMPTY


def test_delta_shows_the_newest_version_and_nothing_of_a_killed_writer(tmp_path: Path) -> None:
    place = tmp_path / "t"
    output = open_output(f"delta:{place}")
    when = pa.array([datetime(2020, 1, 1, tzinfo=UTC)] * 2, pa.timestamp("us", "UTC"))
    table = pa.table({"b": [None, "x"], "a": [1, 2], "t": when, "p": ["x", None]})
    write_deltalake(place, table, partition_by=["p"])
    write_deltalake(place, table, mode="append")
    moment = "2020-01-01T00:00:00.000000+00:00"
    twice = {("1", "null", '"x"', moment): 2, ("2", '"x"', "null", moment): 2}
    assert output.read().columns == ("a", "b", "p", "t")
    assert rows(output.read()) == twice
    # Killed before its commit: files that no version names, and a log entry under another name.
    shutil.copy(next(place.rglob("*.parquet")), place / "part-orphan.parquet")
    (place / "_delta_log" / ".00000000000000000002.json.77.tmp").write_text('{"add":{"pa')
    assert rows(output.read()) == twice
    DeltaTable(place).delete("a = 1")
    assert rows(output.read()) == {("2", '"x"', "null", moment): 2}
    DeltaTable(place).delete()
    assert output.read().rows == ()


def test_delta_as_spark_writes_it_with_deletion_vectors_and_mapped_columns() -> None:
    """Delta 4.4 on Spark 4.2: ids 0 to 9 twice, then DELETE of 3, then UPDATE of 4."""
    folder = Path(__file__).with_name("delta_by_spark")
    with pytest.raises(DeltaProtocolError):
        DeltaTable(folder).to_pyarrow_table()  # the control: this reader would not do
    table = open_output(f"delta:{folder}").read()
    places = table.positions(["id", "odd name", "d"])
    found = Counter(tuple(row[place] for place in places) for row in table.rows)
    number = "1234567890123456789012345678.0123456789"
    names = {str(n): "changed" if n == 4 else f"n{n}" for n in range(10) if n != 3}
    assert found == {(key, f'"{name}"', number): 2 for key, name in names.items()}


def test_delta_with_a_torn_or_lost_file_is_unreadable(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"a": [1]}))
    (file,) = (tmp_path / "t").glob("*.parquet")
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    output = open_output(f"delta:{tmp_path}/t")
    with pytest.raises(UnreachableError):
        output.read()
    file.unlink()
    with pytest.raises(UnreachableError):
        output.read()
