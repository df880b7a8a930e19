"""The files sink on real Spark, killed for real, while a reader that knows no ledger looks on."""

import os
import random
import signal
import textwrap
import threading
import time
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from holdfast.files import published
from tests.running.commands import answer, begin, jobs_of

FILES, ROWS, PARTS = 12, 40, 4
KILLS = 3
SEED = 11
DEADLINE_S = 300.0
LOOK_S = 0.01

TRANSFORM = f"""
def in_parts(rows):
    return rows.repartition({PARTS})
"""


def make_project(folder: Path) -> Path:
    """An input file is a batch of so many rows, mostly, which Spark writes as several files."""
    (folder / "in").mkdir(parents=True)
    for number in range(FILES):
        ids = range(number * ROWS, (number + 1) * ROWS)
        file = folder / "in" / f"{number:03d}.json"
        file.write_text("".join(f'{{"id": {i}, "file": {number}}}\n' for i in ids))
        os.utime(file, (1_600_000_000 + number,) * 2)
    (folder / "parts.py").write_text(TRANSFORM)
    (folder / "holdfast.yaml").write_text(
        textwrap.dedent("""
        checkpoints: ./checkpoints
        spark:
          spark.ui.enabled: "false"
          spark.master: local[2]
          spark.sql.shuffle.partitions: 2
          spark.driver.extraJavaOptions: -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto
        jobs:
          orders:
            source:
              format: json
              path: ./in
              schema: "id long, file long"
              options: {maxFilesPerTrigger: "1"}
            transform: parts:in_parts
            sink: {kind: files, path: ./out/orders, options: {compression: zstd}}
          copies:
            source: {job: orders, schema: "id long, file long"}
            sink: {kind: files, format: csv, path: ./out/copies, options: {header: "true"}}
        """)
    )
    return folder


def is_whole(rows: int, ids: int, files: int) -> bool:
    """Whole input files, once, in as many files as Spark writes for a batch.

    A kill after the file source has logged a file and before the plan of its batch lets the next
    plan take that file and the one after it (FileStreamSource.fetchMaxOffset): a batch of two.
    """
    return rows == ids and rows > 0 and rows % ROWS == 0 and files == PARTS


class Onlooker(threading.Thread):
    """Reads the folder all the time, as anybody would, and keeps what was wrong."""

    def __init__(self, table: Path) -> None:
        super().__init__(daemon=True)
        self._table = table
        self._ended = threading.Event()
        self.looks = 0
        self.batches: set[int] = set()
        self.wrong: list[str] = []

    def run(self) -> None:
        with duckdb.connect() as connection:
            while not self._ended.wait(LOOK_S):
                if self._table.is_dir() and any(self._table.iterdir()):
                    self._look(connection)

    def _look(self, connection: duckdb.DuckDBPyConnection) -> None:
        counts = connection.execute(
            "SELECT batch, count(*), count(DISTINCT id), count(DISTINCT filename) "
            f"FROM read_parquet('{self._table}/**/*.parquet', filename = true) GROUP BY batch"
        ).fetchall()
        self.looks += 1
        seen = {batch for batch, *_ in counts}
        if not self.batches <= seen:
            self.wrong.append(f"batches went away: {self.batches - seen}")
        self.batches |= seen
        self.wrong += [f"half a batch: {c}" for c in counts if not is_whole(*c[1:])]

    def end(self) -> None:
        self._ended.set()
        self.join()


def marks(project: Path) -> int:
    log = project / "out" / "_orders.ledger" / "log"
    return len(list(log.glob("*/*.json"))) if log.is_dir() else 0


@pytest.mark.spark
@pytest.mark.timeout(900)
def test_kills_are_never_seen_by_a_reader_of_the_folder(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    table = project / "out" / "orders"
    onlooker = Onlooker(table)
    onlooker.start()
    chance = random.Random(SEED)
    for _ in range(KILLS):
        before = marks(project)
        process = begin(project, "run", "orders", "--once", "--output", "json")
        limit = time.monotonic() + DEADLINE_S
        # Two entries are a start and a batch: then it dies somewhere in one of the next ones.
        while marks(project) < before + 2:
            assert process.poll() is None and time.monotonic() < limit
            time.sleep(LOOK_S)
        time.sleep(chance.uniform(0, 0.4))
        assert process.poll() is None, "it was done before it could be killed"
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    code, told, talk = answer(project, "run", "--once")
    onlooker.end()
    assert code == 0, (told, talk)
    assert {job["end"] for job in jobs_of(told).values()} == {"drained"}, told
    assert not onlooker.wrong, onlooker.wrong[:5]
    assert onlooker.looks > 10 and onlooker.batches
    expected = Counter(range(FILES * ROWS))
    ids = duckdb.sql(f"SELECT id FROM '{table}/**/*.parquet'").fetchall()
    assert Counter(row[0] for row in ids) == expected
    assert published(table).rows == FILES * ROWS
    copies = project / "out" / "copies"
    ids = duckdb.sql(f"SELECT id FROM '{copies}/**/*.csv'").fetchall()
    assert Counter(row[0] for row in ids) == expected
