"""One small job: numbers from JSON files, appended to a SQLite table, where a repeat would show."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import yaml

from holdfast import show
from holdfast.adapters.sinks.sql_ledger import Mark, read_ledger
from tests.running.killing import QUICK_SPARK, Running

JOB = "numbers"


def numbers_project(folder: Path) -> Path:
    """A project with one file of input."""
    folder.mkdir()
    sink = {"kind": "sql", "url": "sqlite:///./numbers.db", "table": "numbers", "create": True}
    source = {"format": "json", "path": "./in", "schema": "value long"}
    job = {
        "source": {**source, "options": {"maxFilesPerTrigger": 1}},
        "sink": {**sink, "columns": "value long", "mode": "append"},
        "trigger": "0 seconds",
    }
    settings = {**QUICK_SPARK, "spark.sql.shuffle.partitions": "2"}
    declaration = {"checkpoints": "./checkpoints", "spark": settings, "jobs": {JOB: job}}
    (folder / "holdfast.yaml").write_text(yaml.safe_dump(declaration), encoding="utf-8")
    give(folder, 0)
    return folder


def give(project: Path, first: int, count: int = 20) -> None:
    """One more file of input, which is one more batch; it appears whole."""
    (project / "in").mkdir(exist_ok=True)
    text = "".join(f'{{"value": {number}}}\n' for number in range(first, first + count))
    waiting = project / f"{first:06d}.json"
    waiting.write_text(text, encoding="utf-8")
    waiting.rename(project / "in" / waiting.name)


def stored(project: Path) -> Counter[int]:
    with closing(sqlite3.connect(project / "numbers.db")) as connection:
        return Counter(number for (number,) in connection.execute("SELECT value FROM numbers"))


def marks(project: Path) -> list[Mark]:
    """What the sink itself remembers."""
    return read_ledger(f"sqlite:///{project}/numbers.db")


def in_flight(project: Path) -> int | None:
    checkpoint = project / "checkpoints" / JOB
    return (
        show(str(checkpoint)).checkpoint.in_flight if (checkpoint / "metadata").exists() else None
    )


def until_committed(run: Running, project: Path, batch: int) -> None:
    path = project / "checkpoints" / JOB / "commits" / str(batch)
    run.until(path.exists, f"commit {batch}")


@contextmanager
def held_in_a_batch(run: Running, project: Path, batch: int, first: int) -> Iterator[None]:
    """Keep the job inside a batch: its database is locked, so that its sink has to wait."""
    with closing(sqlite3.connect(project / "numbers.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        give(project, first)
        run.until(lambda: in_flight(project) == batch, f"batch {batch} in flight")
        yield
        connection.execute("ROLLBACK")
