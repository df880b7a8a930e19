"""`holdfast run` of the sensor pipeline, made busy, so that it can be hit at a given moment.

What it says goes to files: nobody has to read along, and nothing is lost by a kill.
"""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from tests.running.pipeline import (
    HOLDFAST,
    Rows,
    batch_answer,
    environment,
    gold,
    good_reading,
    make_data,
    make_project,
)
from tests.running.sink_log import files_of

JOBS = ("sensor-raw-ingest", "sensor-deserialize", "sensor-merge-gold")
DEADLINE_S = 480.0
LOOK_S = 0.02

# A Spark that starts soon matters more here than one that is fast for long.
QUICK_SPARK = {
    "spark.ui.enabled": "false",
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto",
}


class Running:
    """A command in a process group of its own."""

    def __init__(self, project: Path, *arguments: str, extra: Mapping[str, str] | None = None):
        folder = project / "talk"
        folder.mkdir(exist_ok=True)
        number = len(list(folder.iterdir())) // 2
        self._out, self._err = (folder / f"{number:05d}.{end}" for end in ("out", "err"))
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [str(HOLDFAST), "run", "--output", "json", *arguments],
                cwd=project,
                env=environment(extra),
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def output(self) -> str:
        return self._out.read_text(encoding="utf-8")

    @property
    def talk(self) -> str:
        return self._err.read_text(encoding="utf-8")

    def until(self, what: Callable[[], bool], reason: str) -> None:
        """Wait for something to become true while the command runs."""
        limit = time.monotonic() + DEADLINE_S
        while not what():
            assert self.process.poll() is None, f"ended before {reason}: {self.talk}{self.output}"
            assert time.monotonic() < limit, f"{reason} did not come: {self.talk}"
            time.sleep(LOOK_S)

    def until_said(self, text: str) -> None:
        self.until(lambda: text in self.talk, repr(text))

    def signal_group(self, number: int) -> None:
        os.killpg(self.pid, number)

    def kill(self) -> None:
        """SIGKILL to all of it: Python, Spark's Java process, their children."""
        self.signal_group(signal.SIGKILL)
        self.process.wait()

    def end(self) -> int:
        """Its exit code, and no traceback ever."""
        code = self.process.wait(DEADLINE_S)
        assert "Traceback" not in self.talk and "Traceback" not in self.output, self.talk
        return code

    def java_pid(self) -> int:
        """Spark's Java process: the child that is called so."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        found: list[int] = []

        def look() -> bool:
            # Spark is launched by a thread, so every thread's children count.
            texts = [path.read_text() for path in children.parent.parent.glob("*/children")]
            pids = [int(word) for text in texts for word in text.split()]
            found[:] = [pid for pid in pids if name_of(pid) == "java"]
            return bool(found)

        self.until(look, "the Java process")
        return found[0]


def name_of(pid: int) -> str:
    """What a process is called; empty where it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


@contextmanager
def running(project: Path, *arguments: str) -> Iterator[Running]:
    """A run of which nothing is left afterwards, whatever the test found."""
    started = Running(project, *arguments)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.signal_group(signal.SIGCONT)
            started.kill()


def busy_project(folder: Path) -> Path:
    """The sensors project with small batches and no pause between them."""
    make_project(folder)
    change_declaration(folder, _made_busy)
    return folder


def change_declaration(project: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = project / "holdfast.yaml"
    declaration = yaml.safe_load(path.read_text(encoding="utf-8"))
    change(declaration)
    path.write_text(yaml.safe_dump(declaration, sort_keys=False), encoding="utf-8")


def _made_busy(declaration: dict[str, Any]) -> None:
    declaration["spark"].update(QUICK_SPARK)
    for job in declaration["jobs"].values():
        job["trigger"] = "0 seconds"
    sources = declaration["profiles"]["embedded"]["sources"]
    sources["incoming"]["options"]["maxFilesPerTrigger"] = 2
    for name in ("raw", "readings"):
        sources[name]["options"] = {"maxFilesPerTrigger": 4}


def feed(project: Path, files: int, lines: int) -> None:
    """See that there are so many files of input; those that are there stay as they are."""
    make_data(project, "--files", str(files), "--lines", str(lines))


def lines_in(project: Path) -> list[bytes]:
    """All lines of the input, byte for byte."""
    return [
        line
        for path in sorted((project / "data" / "incoming").glob("*.jsonl"))
        for line in path.read_bytes().removesuffix(b"\n").split(b"\n")
    ]


def table(project: Path, name: str, *columns: str) -> Rows:
    """Rows of a table of files: of those files that its log names, and no others."""
    folder = project / "data" / name
    found: Rows = Counter()
    for path in files_of(folder):
        partition = dict(part.split("=", 1) for part in path.parent.name.split("/") if "=" in part)
        present = [column for column in columns if column not in partition]
        for row in pq.ParquetFile(path).read(columns=present).to_pylist():
            found[tuple(_plain({**row, **partition}[column]) for column in columns)] += 1
    return found


def _plain(value: object) -> object:
    """Text and bytes as bytes: the line itself, however the table types it."""
    if value in ("true", "false"):
        return value == "true"
    return value.encode() if isinstance(value, str) else value


def differences(project: Path) -> dict[str, tuple[int, int]]:
    """For each table of a drained pipeline: rows lost, rows too many. Straight from the input."""
    lines = lines_in(project)
    wanted = {
        "raw": Counter((line,) for line in lines),
        "readings": Counter((line, good_reading(line) is None) for line in lines),
        "gold": batch_answer(lines),
    }
    found = {
        "raw": table(project, "raw", "value"),
        "readings": table(project, "readings", "value", "quarantined"),
        "gold": gold(project),
    }
    return {
        name: ((wanted[name] - found[name]).total(), (found[name] - wanted[name]).total())
        for name in wanted
    }
