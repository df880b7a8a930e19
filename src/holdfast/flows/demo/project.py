"""The project of the demo: the sensors template, data, and batches small enough to be many."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from holdfast.adapters.declarations.small_batches import with_small_batches
from holdfast.adapters.own_folder import own_folder
from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.errors import UnreachableError, UsageError
from holdfast.flows.init import SUFFIX, init

TEMPLATE = "sensors"
PROFILE = "embedded"
KILLED_JOB = "sensor-merge-gold"
ANSWER = "batch_answer.py"
DECLARATION = "holdfast.yaml"

FILES = 8
LINES_PER_FILE = 500
SENSORS = 100

_FILES_PER_BATCH = {"incoming": 2, "raw": 3, "readings": 3}
"""So that each job needs several batches, and gold enough of them to be killed in one."""
_SPARK = {
    "spark.ui.enabled": "false",
    # Each Spark of the demo lives for seconds: what Java would gain by optimising comes too late.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
_HEADER = "# The project of `holdfast init`, with small batches; that one has comments.\n"
_DATA_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Where everything of one demo lies."""

    folder: Path
    environ: Mapping[str, str]

    @property
    def declaration(self) -> Path:
        """holdfast.yaml."""
        return self.folder / DECLARATION

    @property
    def checkpoints(self) -> Path:
        """The base of the checkpoints."""
        return self.folder / "checkpoints"

    @property
    def killed_checkpoint(self) -> Path:
        """That of the job which is killed."""
        return self.checkpoints / KILLED_JOB

    @property
    def database(self) -> Path:
        """Where gold lies."""
        return self.folder / "data" / "gold.db"

    def output(self, name: str) -> Path:
        """Where the standard output of a program goes."""
        return self.folder / "logs" / f"{name}.out"

    def talk(self, name: str) -> Path:
        """Where its standard error goes."""
        return self.folder / "logs" / f"{name}.log"

    def start(self, name: str, *arguments: str) -> ProcessGroup:
        """Start this Python with these arguments in the folder of the project."""
        return ProcessGroup(
            [sys.executable, *arguments],
            folder=self.folder,
            environ=self.environ,
            output=self.output(name),
            talk=self.talk(name),
        )


def write_project(folder: str | None, environ: Mapping[str, str]) -> Project:
    """Write the project and its data into a folder, a new one in the cache where none is named."""
    target = str(own_folder("demo", environ)) if folder is None else folder
    try:
        init(target, template=TEMPLATE)
    except UsageError as error:
        raise UsageError(
            error.message,
            subject=error.subject,
            next_action="name a new folder with --folder, or leave it out",
        ) from error
    project = Project(folder=Path(target).resolve(), environ=_environ(environ))
    try:
        text = project.declaration.read_text(encoding="utf-8")
        small = with_small_batches(text, profile=PROFILE, files=_FILES_PER_BATCH, spark=_SPARK)
        project.declaration.write_text(_HEADER + small, encoding="utf-8", newline="\n")
        answer = (files("holdfast.templates") / "demo" / f"{ANSWER}{SUFFIX}").read_text("utf-8")
        (project.folder / ANSWER).write_text(answer, encoding="utf-8", newline="\n")
        project.output("data").parent.mkdir()
    except OSError as error:
        raise UnreachableError(
            f"cannot be written: {error.strerror}",
            subject=target,
            next_action="name another folder with --folder",
        ) from error
    _make_data(project)
    return project


def _make_data(project: Project) -> None:
    numbers = (f"--files={FILES}", f"--lines={LINES_PER_FILE}", f"--sensors={SENSORS}")
    with project.start("data", "make_data.py", *numbers) as making:
        if making.wait(_DATA_WITHIN_S) != 0:
            raise UnreachableError(
                "the data could not be made",
                subject=str(project.folder),
                next_action=f"read {project.talk('data')}",
            )


def _environ(environ: Mapping[str, str]) -> dict[str, str]:
    """That of this process, for programs that run in another folder.

    Spark talks to itself here, so no name of this machine need be known.
    """
    paths = [path for path in environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    found = os.pathsep.join(os.path.abspath(path) for path in paths)
    return {"SPARK_LOCAL_IP": "127.0.0.1", **environ, "PYTHONPATH": found}
