"""The place of one case: its folders, its Spark, and what the next start is told."""

import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.truth.input_rows import BEFORE, page
from scripts.truth.kafka_topic import Topic
from scripts.truth.spark_process import SparkProcesses
from scripts.truth.workloads import APP, Workload

LIMIT_S = 90
"""A start of so little input takes seconds; one that takes this long has hung."""
FIRST_FILE_AT = 1_767_297_600
"""Modification times go up with the number of the page: the source reads the oldest first."""
WHILE_MADE = {
    # So that the newest batch has rows.
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    # So that the newest version of the HDFS provider gets a snapshot, which a cut makes stale.
    "spark.sql.streaming.stateStore.minDeltasForSnapshot": "1",
}
"""Settings while the checkpoint is made."""
WITH_PATHS = ("sources", "_spark_metadata", "v2")
"""Folders of files that hold absolute paths."""


@dataclass
class Stage:
    """One query before, during and after a change; a change is carried out on it."""

    folder: Path
    workload: Workload
    version: str
    sparks: SparkProcesses
    topic: Topic | None = None
    variant: str = ""
    """The change of code that the next start has."""
    settings: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    """Options of the source that the next start has."""
    mode: str = "append"
    sink: str = ""
    app: str = APP
    checkpoint: Path = field(init=False)
    output: Path = field(init=False)
    inputs: dict[str, Path] = field(init=False)
    more: tuple[int, ...] = ()
    """Pages that the change itself added to the input."""

    def __post_init__(self) -> None:
        self.checkpoint = self.folder / "checkpoint"
        self.output = self.folder / "output"
        self.inputs = {side: self.folder / "input" / side for side in ("left", "right")}
        self.sink = self.sink or self.workload.sink
        self.settings = {**dict(self.workload.settings), **self.settings}
        self.options = {**(self.topic.options() if self.topic else {}), **self.options}

    def task(self) -> dict[str, Any]:
        """What the session needs to know."""
        return {
            "shape": self.workload.shape,
            "source": self.workload.source,
            "sink": self.sink,
            "mode": self.mode,
            "variant": self.variant,
            "settings": self.settings,
            "options": self.options,
            "app": self.app,
            "inputs": {side: str(path) for side, path in self.inputs.items()},
            "output": str(self.output),
            "checkpoint": str(self.checkpoint),
            "limit_s": LIMIT_S,
            "lingers": False,
        }

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        return self.sparks.of(self.version).ask(do, **{**self.task(), **more})

    def run(self, **more: Any) -> dict[str, Any]:
        """Start it and let it drain."""
        return self.ask("run", **more)

    def rows(self) -> dict[str, Any]:
        """What the sink holds."""
        return self.ask("rows")

    def sql(self, text: str) -> None:
        self.ask("sql", text=text.format(table=f"delta.`{self.output}`"))

    def feed(self, *numbers: int) -> None:
        """More input."""
        for number in numbers:
            for side in ("left", "right"):
                rows = page(self.workload, side, number)
                if self.topic is not None and side == "left":
                    self.topic.produce(rows)
                elif self.topic is None:
                    self.inputs[side].mkdir(parents=True, exist_ok=True)
                    if rows:
                        write_page(self.inputs[side], number, rows)

    def feed_more(self, *numbers: int) -> None:
        """Input that only this case has."""
        self.feed(*numbers)
        self.more = (*self.more, *numbers)

    def build(self) -> None:
        """Make the checkpoint: a page, a run, a batch, BEFORE times, all of them done.

        Without a limit, as most queries run: what is planned anew is planned as one batch.
        """
        settings = {**self.settings, **WHILE_MADE}
        for number in range(BEFORE):
            self.feed(number)
            last = number == BEFORE - 1
            check(self.run(settings=settings, lingers=last and self.workload.is_stateful))


def check(done: dict[str, Any]) -> None:
    if done["error"]:
        raise AssertionError(f"the checkpoint could not be made: {done}")


def write_page(folder: Path, number: int, rows: list[dict[str, Any]]) -> None:
    """One file of input, whole at once."""
    hidden, path = folder / f".{number:03d}", folder / f"{number:03d}.json"
    hidden.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    os.utime(hidden, (FIRST_FILE_AT + number, FIRST_FILE_AT + number))
    hidden.rename(path)


def copy_folders(source: Path, target: Path) -> None:
    """Copy a case to another place, with the absolute paths that Spark wrote into it."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    before, after = str(source).encode(), str(target).encode()
    for path in target.rglob("*"):
        if not path.is_file() or not set(path.parts) & set(WITH_PATHS):
            continue
        data = path.read_bytes()
        if before + b"/" in data:
            path.write_bytes(data.replace(before + b"/", after + b"/"))
            path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
