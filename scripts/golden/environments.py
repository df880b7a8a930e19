"""One Python environment for each Spark version, made once and kept in the cache.

PySpark is a source archive of hundreds of megabytes; making an environment takes minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from places import REPOSITORY, cache

VERSIONS = ("3.5.9", "4.0.5", "4.1.4", "4.2.0", "4.3.0")
# What PySpark's pandas API and transformWithState need. pandas 3 makes PySpark 4.2 warn; NumPy 2
# is not supported by PySpark 3.5, and newer pyarrow does not load without NumPy 2.
EXTRAS = ("pandas<3", "pyarrow", "protobuf", "confluent-kafka")
EXTRAS_35 = ("pandas<3", "pyarrow<20", "numpy<2", "setuptools", "confluent-kafka")


class MissingToolError(Exception):
    """A program this machine lacks; the message says what to install."""


def interpreter(version: str) -> Path:
    """The Python of that Spark version's environment, which is made if it is not there."""
    folder = cache() / "spark" / version
    python = folder / "bin" / "python"
    if not python.exists():
        tool = uv()
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([tool, "venv", "--python", "3.11", str(folder)], check=True)
    extras = EXTRAS_35 if version.startswith("3.5") else EXTRAS
    if not usable(python):
        wanted = [f"pyspark=={version}", *extras]
        subprocess.run([uv(), "pip", "install", "--python", str(python), *wanted], check=True)
    return python


def usable(python: Path) -> bool:
    """Whether everything the cases import can be imported."""
    probe = "import pyspark, pandas, pyarrow, confluent_kafka"
    return subprocess.run([str(python), "-c", probe], capture_output=True).returncode == 0


def uv() -> str:
    """uv from the PATH or from the repository's own environment."""
    own = REPOSITORY / ".venv" / "bin" / "uv"
    found = shutil.which("uv") or (str(own) if own.exists() else "")
    if not found:
        raise MissingToolError("uv is needed to make Spark environments: pip install uv")
    return found


def variables(python: Path) -> dict[str, str]:
    """The environment of a Spark process: loopback only, workers of the same interpreter."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
    return {
        **kept,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": str(python),
        "PYSPARK_DRIVER_PYTHON": str(python),
        # Python workers import the modules that cases' functions live in.
        "PYTHONPATH": str(Path(__file__).resolve().parent),
        "PYTHONWARNINGS": "ignore",
        "TZ": "UTC",
    }
