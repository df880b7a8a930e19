"""Which packages this Python would import, and their versions; nothing is imported to find out."""

import importlib.util
import re
from importlib import metadata
from pathlib import Path

_VERSION = re.compile(r"^__version__\b[^=]*=\s*[\"'](?P<version>[^\"']+)[\"']", re.MULTILINE)


def version_of(distribution: str) -> str | None:
    """The version of an installed distribution, None where there is none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def is_there(module: str) -> bool:
    """Whether a top-level module could be imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def spark_version() -> str | None:
    """The version of the pyspark that would be imported, None where there is none.

    A pyspark on the path of Python (that of SPARK_HOME) goes before an installed one and has no
    metadata; it says its version in a file of its own.
    """
    if not is_there("pyspark"):
        return None
    folder = spark_folder()
    if folder is None:
        return version_of("pyspark")
    try:
        text = (folder / "version.py").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return version_of("pyspark")
    match = _VERSION.search(text)
    return match["version"] if match else version_of("pyspark")


def spark_folder() -> Path | None:
    """The folder of the pyspark that would be imported, None where there is none."""
    spec = importlib.util.find_spec("pyspark") if is_there("pyspark") else None
    return None if spec is None or spec.origin is None else Path(spec.origin).parent
