"""The embedded pipeline and the library door on every PySpark that jobs may run on.

Each version has an environment of its own in the cache, with this tree installed in it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
CACHE = Path(os.environ.get("HOLDFAST_CACHE", Path.home() / ".cache" / "holdfast"))
PIPELINE_VERSIONS = ("4.0.5", "4.1.4", "4.2.0", "4.3.0")
TESTS = (
    "tests/running/test_library_door.py",
    "tests/running/test_plan.py",
    "tests/own/test_row_order.py",
)
"""What meets private parts of PySpark is tried on each."""
NEEDED = ("pytest>=9", "pytest-timeout>=2.4", "hypothesis>=6.140")
BEGIN, END = "<!-- pipeline: written by `make matrix` -->", "<!-- end of pipeline -->"


@dataclass(frozen=True)
class PipelineRow:
    version: str
    observed: dict[str, Any] | None
    said: str
    """What the session said where it observed nothing."""
    tests: str
    tests_passed: bool

    @property
    def right(self) -> bool:
        seen = self.observed
        exact = seen is not None and seen["lost"] == seen["duplicated"] == 0
        return exact and self.tests_passed and seen is not None and seen["pyspark"] == self.version


def pipeline_row(version: str) -> PipelineRow:
    """Run everything on one version."""
    python = interpreter(version)
    variables = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYTHON"))},
        "PYSPARK_PYTHON": str(python),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }

    def call(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [str(python), "-m", *arguments]
        return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)

    folder = Path(tempfile.mkdtemp(prefix=f"holdfast-pipeline-{version}-"))
    session = call("scripts.matrix.pipeline_session", str(folder))
    answer = folder / "observed.json"
    observed = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else None
    # PySpark before 4.2 leaves the sockets of collect() and toLocalIterator() to be collected.
    quiet = ("-W", "ignore::ResourceWarning") if version < "4.2" else ()
    tests = call("pytest", "-q", "-p", "no:cacheprovider", *quiet, *TESTS)
    last = tests.stdout.strip().splitlines()[-1] if tests.stdout.strip() else tests.stderr[-300:]
    if tests.returncode != 0:
        print(tests.stdout, flush=True)
    shutil.rmtree(folder)
    return PipelineRow(
        version=version,
        observed=observed,
        said=session.stderr[-3000:],
        tests=last.partition(" in ")[0].strip("= "),
        tests_passed=tests.returncode == 0,
    )


def interpreter(version: str) -> Path:
    """The Python of that version's environment, in which this tree is installed."""
    own = ROOT / ".venv" / "bin" / "uv"
    tool = shutil.which("uv") or (str(own) if own.exists() else "")
    if not tool:
        sys.exit("uv is needed to make environments: pip install uv")
    folder = CACHE / "pipeline" / version
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([tool, "venv", "--quiet", "--python", "3.11", str(folder)], check=True)
    wanted = [f"pyspark=={version}", "-e", f"{ROOT}[spark,sql]", *NEEDED]
    install = [tool, "pip", "install", "--quiet", "--python", str(python), *wanted]
    subprocess.run(install, check=True)
    return python


def section(rows: list[PipelineRow]) -> str:
    """The part of docs/matrix.md that is about the pipeline."""
    wrong = [row for row in rows if not row.right]
    lines = [
        BEGIN,
        "## The pipeline on every PySpark",
        "",
        "The sensor pipeline (files, Parquet, Parquet, SQLite) on each version that jobs may run",
        "on: `holdfast init`, input, `run --once`; more input, `run`, SIGKILL while gold has a",
        "batch in flight, `run --once`. Then raw, readings and gold are compared with the input,",
        "as multisets. Beside it the tests of the library door and of what is read off plans.",
        "",
        f"{len(rows)} versions, {len(rows) - len(wrong)} exact, {len(wrong)} not.",
        "",
        "| PySpark | lines | killed in batch of gold | run again | lost | duplicated | tests |",
        "|---|---|---|---|---|---|---|",
        *(line(row) for row in rows),
        END,
    ]
    return "\n".join(lines) + "\n"


def line(row: PipelineRow) -> str:
    seen = row.observed
    if seen is None:
        return f"| {row.version} | - | - | **WRONG** | - | - | {row.tests} |"
    end, last = seen["after"]["sensor-merge-gold"]
    cells = (
        row.version,
        seen["lines"],
        seen["killed_in_batch"],
        f"{end}, last batch {last}",
        seen["lost"],
        seen["duplicated"],
        row.tests,
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def kept_section(page: Path) -> str:
    """That part as it stands in the page; empty where it is not there."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    if BEGIN not in text:
        return ""
    return BEGIN + text.partition(BEGIN)[2].partition(END)[0] + END + "\n"


def with_section(text: str, new: str) -> str:
    """A page with that part at its end, in place of one that was there."""
    return text.partition(BEGIN)[0].rstrip("\n") + "\n\n" + new if new else text
