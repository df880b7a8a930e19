"""The user's own modules on their way to Spark's Python workers.

A function of a module is pickled by the module's name, so a worker must be able to import it. On
this machine workers get the folder by PYTHONPATH; those of a cluster get its modules as an archive.
"""

import os
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession

from holdfast.core.guards.master import is_local_master

MODULES_MAX = 2_000
"""Files of Python that are sent; a folder with more holds other things than transforms."""


def show_to_workers_here(folder: str) -> None:
    """Let workers that this machine's Spark starts find the folder; before Spark starts."""
    known = os.environ.get("PYTHONPATH", "")
    if folder not in known.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(part for part in (folder, known) if part)


def send_to_cluster(spark: SparkSession, folder: str) -> "tempfile.TemporaryDirectory[str] | None":
    """Offer the folder's modules and packages to every executor; nothing where they are here.

    Executors fetch the archive when they start, so it is kept as long as the session: what is
    returned goes with it.
    """
    modules = list(_modules(Path(folder)))[:MODULES_MAX]
    if is_local_master(str(spark.sparkContext.master)) or not modules:
        return None
    scratch = tempfile.TemporaryDirectory(prefix="holdfast-code-")
    archive = Path(scratch.name) / "transforms.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for module in modules:
            written.write(module, module.relative_to(folder))
    spark.sparkContext.addPyFile(str(archive))
    return scratch


def _modules(folder: Path) -> Iterator[Path]:
    """Modules beside the declaration, and packages whole."""
    for entry in sorted(folder.iterdir()):
        if entry.suffix == ".py" and entry.is_file():
            yield entry
        elif (entry / "__init__.py").is_file():
            yield from sorted(path for path in entry.rglob("*.py") if path.is_file())
