"""The other end of session.py: start a Spark of one version, give it tasks, end it by its id."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.jars import fetch
from scripts.truth.workloads import HOME

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("HOLDFAST_CACHE", Path.home() / ".cache" / "holdfast"))


class SessionError(Exception):
    """The session itself failed: nothing was observed."""


class SparkProcess:
    """One JVM that lives as long as this object."""

    def __init__(self, version: str, log: Path, *, jars: bool = True) -> None:
        python = interpreter(version)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYTHON"))}
        if version == HOME and "SPARK_SUBMIT_OPTS" in os.environ:
            # The archive of classes of scripts/quick_java.py is made for this version.
            kept["SPARK_SUBMIT_OPTS"] = os.environ["SPARK_SUBMIT_OPTS"]
        lake = fetch.jars("lake") if jars and version == HOME else ""
        variables = {
            **kept,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": str(python),
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
            "PYTHONWARNINGS": "ignore",
            "HOLDFAST_TRUTH_JARS": lake,
            "TZ": "UTC",
        }
        self._log = log.open("wb")
        self._process = subprocess.Popen(
            [str(python), "-m", "scripts.truth.session"],
            cwd=ROOT,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self.version: str = self._answer()["version"]

    def ask(self, do: str, **task: Any) -> dict[str, Any]:
        """Give it a task and wait for the answer."""
        assert self._process.stdin is not None
        print(json.dumps({"do": do, **task}), file=self._process.stdin, flush=True)
        answer = self._answer()
        if "failed" in answer:
            raise SessionError(f"{do}: {answer['failed']}")
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SessionError(f"Spark ended with {self._process.wait()}; see {self._log.name}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()


class SparkProcesses:
    """Sparks by version, each started when it is first asked for."""

    def __init__(self, folder: Path, *, jars: bool = True) -> None:
        self._folder = folder
        self._jars = jars
        self._running: dict[str, SparkProcess] = {}

    def of(self, version: str) -> SparkProcess:
        if version not in self._running:
            log = self._folder / f"spark-{version}.log"
            self._running[version] = SparkProcess(version, log, jars=self._jars)
        return self._running[version]

    def close(self) -> None:
        for each in self._running.values():
            each.close()


@contextmanager
def sparks(folder: Path, *, jars: bool = True) -> Iterator[SparkProcesses]:
    folder.mkdir(parents=True, exist_ok=True)
    running = SparkProcesses(folder, jars=jars)
    try:
        yield running
    finally:
        running.close()


def interpreter(version: str) -> Path:
    """The Python of that Spark version; this one where it is the version of the tests."""
    if version == HOME:
        return Path(sys.executable)
    python = CACHE / "spark" / version / "bin" / "python"
    if not python.exists():
        sys.exit(f"no environment for Spark {version}: run `make golden` once, which makes them")
    return python
