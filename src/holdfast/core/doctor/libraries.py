"""Python's side: pyspark, the libraries that jobs name, and the Python of Spark's workers."""

from dataclasses import dataclass
from typing import Final

from holdfast.core.doctor.check import Check, fine, skipped

OLDEST: Final = (4, 0)
NEWEST: Final = (4, 3)
SUPPORTED: Final = "4.0 to 4.3"
INSTALL_SPARK: Final = "pip install 'holdfast[spark]'"
PANDAS_MAJOR_MAX: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A library, whether it is there, and which jobs ask for it."""

    name: str
    version: str | None
    jobs: tuple[str, ...]
    why: str
    install: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """The Python that Spark's workers are told to run."""

    asked: str
    """PYSPARK_PYTHON or spark.pyspark.python; empty where neither is set."""
    asked_by: str
    path: str
    """The program of that name on this machine, empty where there is none."""
    is_ours: bool
    ours: str
    is_local: bool
    """Whether workers run on this machine."""


def judge_pyspark(version: str | None) -> Check:
    """Whether there is a pyspark that jobs run on."""
    if version is None:
        return Check(
            name="pyspark",
            status="error",
            code="HF503",
            found="not installed: jobs cannot run; checkpoints can be read",
            fix=(INSTALL_SPARK,),
        )
    parts = version.split(".")
    pair = tuple(int(part) for part in parts[:2] if part.isdigit())
    if len(pair) == len(OLDEST) and OLDEST <= pair <= NEWEST:
        return fine("pyspark", version)
    return Check(
        name="pyspark",
        status="error",
        code="HF504",
        found=f"{version}; supported are {SUPPORTED}",
        fix=("pip install 'pyspark>=4.0,<4.4'",),
    )


def judge_pandas(version: str | None) -> tuple[Check, ...]:
    """Whether pandas is newer than PySpark knows; nothing where it is not there."""
    if version is None:
        return ()
    major = version.split(".")[0]
    if major.isdigit() and int(major) > PANDAS_MAJOR_MAX:
        return (
            Check(
                name="pandas",
                status="warning",
                code="HF506",
                found=f"{version}; PySpark is made for pandas {PANDAS_MAJOR_MAX} and warns",
                fix=("pip install 'pandas<3'",),
            ),
        )
    return (fine("pandas", version),)


def judge_library(library: Library) -> Check:
    """Whether a library is there that jobs ask for."""
    subject = ", ".join(library.jobs)
    if not library.jobs:
        return skipped(library.name, f"{library.why}: no job does")
    if library.version is not None:
        return fine(library.name, library.version, subject)
    return Check(
        name=library.name,
        status="error",
        code="HF505",
        subject=subject,
        found=f"not installed; {library.why}",
        fix=(library.install,),
    )


def judge_worker(worker: Worker) -> Check:
    """Whether Spark's workers run the Python that runs us."""
    if not worker.asked or worker.is_ours:
        return fine("python", f"workers run {worker.ours}, as Holdfast does")
    if not worker.is_local:
        why = f"{worker.asked_by} is {worker.asked}, which is a program of the other machines"
        return skipped("python", why)
    fix = (
        f"unset {worker.asked_by}"
        if worker.asked_by.isupper()
        else f"leave {worker.asked_by} out of the declaration"
    )
    if not worker.path:
        return Check(
            name="python",
            status="error",
            code="HF507",
            found=f"{worker.asked_by} is {worker.asked}, and there is no such program",
            fix=(fix,),
        )
    return Check(
        name="python",
        status="warning",
        code="HF507",
        found=f"{worker.asked_by} is {worker.path}, and Holdfast runs in {worker.ours}",
        fix=(fix,),
    )
