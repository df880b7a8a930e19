"""Parts of the audit that need no Spark: samples, copies, sight, torn files, steadiness."""

import os
import re
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.declarations.job_copy import job_copy
from holdfast.adapters.declarations.loading import declaration_of
from holdfast.adapters.outputs.opening import open_output
from holdfast.audit.power_cut import Unsynced
from holdfast.audit.program import Program, program_workload
from holdfast.audit.recording import Recording
from holdfast.audit.room import Room
from holdfast.audit.sample import take_sample
from holdfast.audit.sight import Sight
from holdfast.core.crash.operation import CallName, Operation
from holdfast.core.crash.place import Layout
from holdfast.core.crash.point import Key, Point
from holdfast.core.crash.table import EMPTY, Table, table_of
from holdfast.errors import RefusedError, UnreachableError, UsageError

KEY = Key(area="output", call="create", name="x", batch=0, nth=1)


def point(number: int) -> Point:
    return Point(number=number, stage="K6", batch=0, key=KEY)


def rows(*values: int) -> Table:
    return table_of(["id"], [[value] for value in values])


# A sample of the input.


def write_files(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        path = folder / f"{number}.json"
        path.write_text(f"{number}\n")
        os.utime(path, (1_000_000 - number,) * 2)


def test_a_sample_keeps_the_order_of_times_and_makes_three_batches(tmp_path: Path) -> None:
    write_files(tmp_path / "in", 7)
    (tmp_path / "in" / "_hidden").write_text("x")
    sample = take_sample(tmp_path / "in", tmp_path / "copy")
    copies = sorted((tmp_path / "copy").iterdir(), key=lambda path: path.stat().st_mtime)
    assert [path.read_text() for path in copies] == ["6\n", "5\n", "4\n", "3\n", "2\n", "1\n"]
    assert (sample.files, sample.files_a_batch) == (6, 2)
    assert len({path.stat().st_mtime for path in copies}) == 6


@pytest.mark.parametrize("count", [0, 2])
def test_too_few_files_are_refused(tmp_path: Path, count: int) -> None:
    write_files(tmp_path / "in", count)
    with pytest.raises(UsageError, match=f"and {count} are there"):
        take_sample(tmp_path / "in", tmp_path / "copy")


def test_input_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not there"):
        take_sample(tmp_path / "in", tmp_path / "copy")


def test_a_sample_leaves_out_files_that_spark_has_not_committed(tmp_path: Path) -> None:
    write_files(tmp_path / "in", 5)
    log = tmp_path / "in" / "_spark_metadata"
    log.mkdir()
    entry = (
        '{{"path":"file://{path}","size":2,"isDir":false,"modificationTime":1,'
        '"blockReplication":1,"blockSize":1,"action":"add"}}'
    )
    listed = [entry.format(path=tmp_path / "in" / f"{n}.json") for n in (0, 1, 2)]
    (log / "0").write_text("\n".join(["v1", *listed]))
    sample = take_sample(tmp_path / "in", tmp_path / "copy")
    assert sorted(path.name for path in sample.folder.iterdir()) == ["0.json", "1.json", "2.json"]


# A copy of the declaration.

DECLARATION = """
checkpoints: ./production
profile: main
spark: {spark.sql.shuffle.partitions: 2}
jobs:
  one:
    source: in
    sink: files
    checkpoint: ./old-place
  two:
    source: between
    sink: gold
    trigger: 5 seconds
profiles:
  main:
    spark: {spark.a: "1"}
    sources:
      in: {format: text, path: "${env:IN}"}
      between: {job: one, options: {maxFileAge: 7d}}
    sinks:
      files: {kind: file, format: text, path: ./files}
      gold: {kind: sql, url: "sqlite:///./gold.db", table: gold, create: true}
"""


def copy_of(job: str, source: dict[str, Any], sink: dict[str, Any]) -> Any:
    text = job_copy(
        DECLARATION,
        profile="main",
        job=job,
        checkpoints="/room/checkpoints",
        source=source,
        sink=sink,
        spark={"spark.b": "2"},
    )
    environ = {"IN": "/secret/place"}
    return text, declaration_of(text, path="x", folder="/room", profile=None, environ=environ)


def test_a_copy_has_one_job_and_places_of_its_own() -> None:
    text, declaration = copy_of(
        "two",
        {"format": "text", "path": "/sample", "options": {"maxFilesPerTrigger": 1}},
        {"url": "sqlite:////room/output.db"},
    )
    (job,) = declaration.jobs
    assert (job.name, job.checkpoint) == ("two", "/room/checkpoints/two")
    assert (job.source.path, job.source.job) == ("/sample", None)
    assert job.source.options == {"maxFileAge": "7d", "maxFilesPerTrigger": "1"}
    assert job.sink.options["url"] == "sqlite:////room/output.db"
    assert declaration.spark == {
        "spark.sql.shuffle.partitions": "2",
        "spark.a": "1",
        "spark.b": "2",
    }
    assert "production" not in text


def test_a_copy_forgets_a_checkpoint_given_by_hand_and_holds_no_secret() -> None:
    text, declaration = copy_of("one", {}, {"path": "/room/output"})
    assert declaration.jobs[0].checkpoint == "/room/checkpoints/one"
    assert "/secret/place" not in text
    assert declaration.jobs[0].source.path == "/secret/place"


# A program in fixed places.


def test_a_program_is_refused_where_its_places_hold_anything(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint" / "metadata").write_text("{}")
    program = Program(
        command="job",
        checkpoint=str(tmp_path / "checkpoint"),
        read=f"sqlite:{tmp_path / 'out.db'}?table=t",
    )
    with pytest.raises(RefusedError, match="never runs where something is already") as refused:
        program_workload(program, environ={})
    assert refused.value.subject == str(tmp_path / "checkpoint")


def test_a_program_in_fixed_places_finds_them_empty_at_every_trial(tmp_path: Path) -> None:
    program = Program(
        command="job --to {run}",
        checkpoint=str(tmp_path / "checkpoint"),
        read=f"sqlite:{tmp_path / 'out.db'}?table=t",
    )
    workload = program_workload(program, environ={"SPARK_SUBMIT_OPTS": ""})
    assert not workload.parallel
    first = tmp_path / "trial-1"
    first.mkdir()
    *words, name = workload.furnish(first).arguments
    assert words == ["job", "--to"] and re.fullmatch(r"r[0-9a-f]{6}_1", name)
    (tmp_path / "checkpoint").mkdir()
    for name in ("out.db", "out.db-journal", "out.db-mine"):
        (tmp_path / name).write_text(name)
    second = tmp_path / "trial-2"
    second.mkdir()
    workload.furnish(second)
    assert sorted(path.name for path in (second / "before").iterdir()) == [
        "checkpoint",
        "out.db",
        "out.db-journal",
    ]
    assert (tmp_path / "out.db-mine").exists(), "what is not of the database stays"


@pytest.mark.parametrize("read", ["parquet", "parquet:", "nothing:x", "sqlite:/x"])
def test_an_output_that_cannot_be_read_is_said_at_once(read: str) -> None:
    with pytest.raises(UsageError):
        open_output(read)


# What readers see on the way.


class Shown:
    """An output that shows whatever it is told to."""

    def __init__(self) -> None:
        self.table: Table | None = EMPTY

    def read(self) -> Table:
        if self.table is None:
            raise UnreachableError("a file of the output cannot be read")
        return self.table


def sight_of(shown: Shown) -> Sight:
    room = Room(
        folder=Path(),
        arguments=(),
        working_folder=Path(),
        environ={},
        checkpoint=Path(),
        layout=Layout(roots={}),
        output=shown,
    )
    recording = Recording(
        room=room,
        points=(point(1),),
        after=(rows(1, 2), rows(1, 2, 3), rows(1, 2, 3)),
        answer=rows(1, 2, 3),
        duration_ms=1,
        batches_ms={},
    )
    return Sight(room, recording)


@pytest.mark.parametrize(
    ("seen", "torn"),
    [
        ([EMPTY, rows(1, 2), rows(3, 2, 1), rows(1, 2, 3)], ""),
        ([EMPTY, rows(1)], "half a batch"),
        ([rows(1, 2), rows(1, 2, 2)], "half a batch"),
        ([rows(1, 2), EMPTY], "batch 0 was visible, and then it was not"),
        ([rows(1, 2, 3), rows(1, 2)], "batch 1 was visible"),
        ([None], "cannot be read"),
    ],
)
def test_half_a_batch_and_one_that_goes_away_are_seen(seen: list[Table | None], torn: str) -> None:
    shown = Shown()
    sight = sight_of(shown)
    for table in seen:
        shown.table = table
        sight.look()
    assert torn in sight.torn
    assert bool(sight.torn) == bool(torn)


# Torn files.


def done(*calls: tuple[CallName, str] | tuple[CallName, str, str]) -> Unsynced:
    unsynced = Unsynced()
    for call in calls:
        origin = call[2] if len(call) == 3 else None
        unsynced.note(Operation(call=call[0], path=call[1], origin=origin))
    return unsynced


def test_a_power_cut_tears_the_newest_file_that_was_not_synced(tmp_path: Path) -> None:
    a, b, c = (str(tmp_path / name) for name in "abc")
    for path in (a, b, c):
        Path(path).write_text("12345678")
    unsynced = done(
        ("create", a),
        ("create", f"{b}.tmp"),
        ("rename", b, f"{b}.tmp"),
        ("create", c),
        ("fsync", c),
    )
    assert unsynced.tear("half") == "b is half"
    assert [Path(path).read_text() for path in (a, b, c)] == ["12345678", "1234", "12345678"]
    assert unsynced.tear("empty") == "b is empty"
    assert unsynced.tear("gone") == "a is gone"
    assert not Path(a).exists()


def test_a_power_cut_harms_nothing_that_was_synced(tmp_path: Path) -> None:
    a = str(tmp_path / "a")
    Path(a).write_text("x")
    unsynced = done(("create", f"{a}.tmp"), ("fsync", f"{a}.tmp"), ("rename", a, f"{a}.tmp"))
    assert unsynced.tear("gone") == ""
    assert Path(a).exists()


# SQLite is read without rolling anything back.


def test_reading_a_database_leaves_its_hot_journal_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (id INTEGER)")
        connection.execute("INSERT INTO t VALUES (1)")
    connection.close()
    pid = os.fork()
    if pid == 0:
        inner = sqlite3.connect(path, isolation_level=None)
        inner.execute("PRAGMA cache_size = 1")
        inner.execute("BEGIN")
        inner.executemany("INSERT INTO t VALUES (?)", ((n,) for n in range(20_000)))
        os._exit(0)
    os.waitpid(pid, 0)
    journal = tmp_path / "out.db-journal"
    before = (path.read_bytes(), journal.read_bytes())
    assert open_output(f"sqlite:{path}?table=t").read() == rows_of_t(1)
    assert (path.read_bytes(), journal.read_bytes()) == before


def rows_of_t(*values: int) -> Table:
    return replace(rows(*values), columns=("id",))


def test_no_file_and_no_table_are_no_rows(tmp_path: Path) -> None:
    make: Callable[[str], Table] = lambda spec: open_output(spec).read()  # noqa: E731
    assert make(f"sqlite:{tmp_path / 'none.db'}?table=t") == EMPTY
    sqlite3.connect(tmp_path / "empty.db").close()
    assert make(f"sqlite:{tmp_path / 'empty.db'}?table=t") == EMPTY
    assert make(f"parquet:{tmp_path / 'none'}") == EMPTY
