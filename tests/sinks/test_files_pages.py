"""Pages of the ledger of the files sink: fewer files to read, the same answer, whatever dies."""

import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas  # noqa: F401
import pyarrow.parquet
import pytest

# This and pandas, which pyarrow asks for, are not used here: writers are forked.
import holdfast.adapters.sinks.files.by_arrow  # noqa: F401
from holdfast.adapters.file_tables import ledger as ledgers
from holdfast.adapters.file_tables.ledger import FileLedger
from holdfast.adapters.records.local import LocalRecords
from holdfast.adapters.sinks.files.options import FilesSinkOptions
from holdfast.adapters.sinks.files.sink import FilesSink
from holdfast.adapters.sinks.files.steps import Step
from holdfast.errors import FencedError, HoldfastError, MalformedError, UnreachableError
from holdfast.files import published
from holdfast.testing.candidate import Candidate
from holdfast.testing.crashes import CrashTests
from tests.sinks.files_tables import COLUMNS, QUERY, Killed, Row, batch, log_of, wanted

SIZES = (2, 6)
SMALL = [f"{n:012d}-{n + 1:012d}.jsonl" for n in range(1, 14, 2)]
LARGE = ["000000000001-000000000006.jsonl", "000000000007-000000000012.jsonl"]


def paged(path: Path, *, epoch: int = 1, sizes: tuple[int, ...] = SIZES) -> FilesSink:
    sink = FilesSink(FilesSinkOptions(path=str(path)), page_sizes=sizes)
    sink.open(QUERY, epoch)
    return sink


def filled(path: Path, batches: int, **options: Any) -> FilesSink:
    """The fence of the start is the first entry, so there is one more than batches."""
    sink = paged(path, **options)
    for batch_id in range(batches):
        assert sink.write(batch(sink, batch_id))
    return sink


def pages_of(path: Path) -> Path:
    return path.parent / f"_{path.name}.ledger" / "pages" / QUERY


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def rows_at(files: tuple[str, ...]) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for name in files:
        table = pyarrow.parquet.ParquetFile(name).read()
        found.update(zip(*(table.column(c).to_pylist() for c in COLUMNS), strict=True))
    return found


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every record that is read, by name."""
    seen: list[str] = []
    read = LocalRecords.read

    def noted(self: LocalRecords, name: str) -> bytes | None:
        seen.append(name)
        return read(self, name)

    monkeypatch.setattr(LocalRecords, "read", noted)
    yield seen


def test_pages_repeat_the_ledger_and_nothing_is_removed(tmp_path: Path, reads: list[str]) -> None:
    table = tmp_path / "t"
    filled(table, 13)
    assert names(pages_of(table)) == sorted([*SMALL, *LARGE])
    log = [path.read_bytes() for path in sorted(log_of(table).iterdir())]
    assert len(log) == 14
    assert (pages_of(table) / LARGE[1]).read_bytes() == b"".join(e + b"\n" for e in log[6:12])
    reads.clear()
    found = published(table)
    assert Counter(reads) == Counter(
        [
            "owner.json",
            *(f"pages/{QUERY}/{name}" for name in LARGE),
            *(f"log/{QUERY}/{number:012d}.json" for number in (13, 14)),
        ]
    )
    assert rows_at(found.files) == wanted(*range(13))
    shutil.move(pages_of(table), tmp_path / "away")
    reads.clear()
    assert published(table) == found, "who knows no pages reads the same"
    assert len(reads) == 1 + 14


def test_the_newest_entry_is_read_itself(tmp_path: Path, reads: list[str]) -> None:
    table = tmp_path / "t"
    filled(table, 5)
    assert LARGE[0] in names(pages_of(table))
    reads.clear()
    assert published(table).batches == 5
    assert f"log/{QUERY}/000000000006.json" in reads
    assert f"pages/{QUERY}/{LARGE[0]}" not in reads


def test_a_ledger_without_pages_gets_them_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "t"
    filled(table, 11, sizes=(1_000,))
    assert names(pages_of(table)) == []
    monkeypatch.setattr(ledgers, "PAGES_AT_ONCE", 3)
    for epoch, made in ((2, 3), (3, 6), (4, 9)):
        sink = paged(table, epoch=epoch)
        assert sink.write(batch(sink, 9 + epoch, epoch=epoch))
        assert len(names(pages_of(table))) == made
        assert rows_at(published(table).files) == wanted(*range(10 + epoch))


def test_a_page_that_would_be_too_large_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "t"
    monkeypatch.setattr(ledgers, "PAGE_BYTES_MAX", 2_000)
    filled(table, 13)
    assert names(pages_of(table)) == SMALL
    assert rows_at(published(table).files) == wanted(*range(13))


def test_a_batch_does_not_fail_with_its_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "t"
    create = LocalRecords.create

    def refused(self: LocalRecords, name: str, data: bytes) -> bool:
        if name.startswith("pages/"):
            raise UnreachableError("no space left", subject=name)
        return create(self, name, data)

    monkeypatch.setattr(LocalRecords, "create", refused)
    filled(table, 7)
    assert names(pages_of(table)) == []
    assert rows_at(published(table).files) == wanted(*range(7))


@pytest.mark.parametrize("what", ["cut", "another byte", "of another ledger"])
def test_a_page_that_does_not_fit_is_told(what: str, tmp_path: Path) -> None:
    table = tmp_path / "t"
    filled(table, 13)
    page = pages_of(table) / LARGE[1]
    data = page.read_bytes()
    if what == "of another ledger":
        filled(tmp_path / "other" / "t", 13)
        shutil.copy(pages_of(tmp_path / "other" / "t") / LARGE[1], page)
    else:
        page.write_bytes(data[:-9] if what == "cut" else data.replace(b'"rows":5', b'"rows":6', 1))
    with pytest.raises(MalformedError, match="altered") as told:
        published(table)
    assert f"pages/{QUERY} away" in str(told.value.next_action)
    shutil.move(pages_of(table), tmp_path / "away")
    assert published(table).batches == 13


def test_an_entry_that_is_gone_is_told_although_a_page_has_it(tmp_path: Path) -> None:
    table = tmp_path / "t"
    filled(table, 13)
    (log_of(table) / "000000000003.json").unlink()
    with pytest.raises(MalformedError, match="it is missing") as told:
        published(table)
    assert told.value.subject.endswith("000000000003.json")


def test_an_overtaken_writer_makes_the_same_pages(tmp_path: Path) -> None:
    """It may do so at any time: what it repeats was there before it was overtaken, or after."""
    table = tmp_path / "t"
    old = filled(table, 4)
    new = paged(table, epoch=2, sizes=(1_000,))
    for batch_id in range(4, 13):
        assert new.write(batch(new, batch_id, epoch=2))
    with pytest.raises(FencedError):
        old.write(batch(old, 4))
    FileLedger(old._place.records, QUERY, page_sizes=SIZES).compact(13, 0)
    theirs = {name: (pages_of(table) / name).read_bytes() for name in names(pages_of(table))}
    assert sorted(theirs) == sorted([*SMALL[:6], *LARGE])
    assert rows_at(published(table).files) == wanted(*range(13))
    shutil.move(pages_of(table), tmp_path / "away")
    FileLedger(new._place.records, QUERY, page_sizes=SIZES).compact(14, 0)
    mine = {name: (pages_of(table) / name).read_bytes() for name in theirs}
    assert mine == theirs
    with pytest.raises(FencedError):
        old.write(batch(old, 4))


def test_half_a_page_is_swept_by_the_next_start(tmp_path: Path) -> None:
    table = tmp_path / "t"
    filled(table, 3)
    half = pages_of(table) / f".{SMALL[1]}.abc.tmp"
    half.write_text("{")
    notes = pages_of(table) / "somebody's notes.txt"
    notes.write_text("keep me")
    paged(table, epoch=2)
    assert not half.exists() and notes.exists()
    assert published(table).batches == 3


class TestKilledWithPages(Candidate):
    """Every page has two entries: the fence of a start and its first batch make the first one."""

    test_killed_at_every_step = CrashTests.test_killed_at_every_step
    test_killed_before_every_file_operation = CrashTests.test_killed_before_every_file_operation

    def open_sink(self, folder: Path) -> FilesSink:
        options = FilesSinkOptions(path=str(folder / "events"))
        return FilesSink(options, page_sizes=(2,))

    def read(self, folder: Path) -> list[tuple[Any, ...]]:
        table = folder / "events"
        if not (folder / "_events.ledger" / "owner.json").exists():
            return []
        found: list[tuple[Any, ...]] = []
        for name in published(table).files:
            rows = pyarrow.parquet.ParquetFile(name).read()
            columns = ("id", "version", "text")
            found += zip(*(rows.column(c).to_pylist() for c in columns), strict=True)
        return found


def look_on(table: Path, until: Path) -> int:
    """A process that reads by the ledger until a file is there; its report lies beside that.

    No thread: writers are forked from this process, and may not inherit half of a thread's work.
    """
    pid = os.fork()
    if pid > 0:
        return pid
    seen: list[int] = []
    wrong: list[str] = []
    try:
        while not until.exists():
            try:
                found = published(table)
                if rows_at(found.files) != wanted(*range(found.batches)):
                    wrong.append(repr(found))
                seen.append(found.batches)
            except (HoldfastError, OSError) as error:
                wrong.append(repr(error))
        until.with_suffix(".seen").write_text(json.dumps({"seen": seen, "wrong": wrong}))
    finally:
        os._exit(0)


def write_and_die(table: Path, epoch: int, kill: int) -> bool:
    """A process that writes on until the n-th moment of a compaction, and is killed in it.

    Moments: a compaction begins, a page is about to appear, it has appeared, all have.
    """
    pid = os.fork()
    if pid > 0:
        return os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    try:
        left = [kill]

        def moment() -> None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        link = os.link

        def watched(source: Any, target: Any, **options: Any) -> None:
            page = "/pages/" in str(target)
            if page:
                moment()
            link(source, target, **options)
            if page:
                moment()

        os.link = watched  # type: ignore[assignment]
        sink = paged(table, epoch=epoch)
        sink.listen(lambda step: moment() if step in ("compact", "compacted") else None)
        last = sink.last_batch(QUERY)
        for batch_id in range(0 if last is None else last + 1, 13):
            sink.write(batch(sink, batch_id, epoch=epoch))
    finally:
        os._exit(0)


@pytest.mark.timeout(300)
def test_killed_at_every_moment_of_a_compaction_while_a_reader_looks(tmp_path: Path) -> None:
    table = tmp_path / "t"
    filled(table, 1)
    until = tmp_path / "until"
    onlooker = look_on(table, until)
    try:
        kills = [write_and_die(table, 1 + kill, kill) for kill in range(1, 9)]
        assert sum(kills) >= 6
        assert not write_and_die(table, 10, 0)
    finally:
        until.touch()
        os.waitpid(onlooker, 0)
    report = json.loads(until.with_suffix(".seen").read_text())
    assert report["wrong"] == []
    assert report["seen"] == sorted(report["seen"]), "what was seen once is never gone"
    assert rows_at(published(table).files) == wanted(*range(13))
    assert FileLedger(LocalRecords(tmp_path / "_t.ledger"), QUERY).entries()


def test_a_step_that_ends_a_compaction_ends_no_batch(tmp_path: Path) -> None:
    table = tmp_path / "t"
    sink = paged(table)

    def stop(reached: Step) -> None:
        if reached == "compact":
            raise Killed

    sink.listen(stop)
    with pytest.raises(Killed):
        sink.write(batch(sink, 0))
    assert rows_at(published(table).files) == wanted(0)
    again = paged(table, epoch=2)
    assert again.write(batch(again, 0, epoch=2)) is False
    assert again.write(batch(again, 1, epoch=2))
    assert names(pages_of(table)) == SMALL[:2]
