"""Spark's classes in the form in which Java loads them fastest, made once and kept in the cache.

Java's class data sharing (JEP 350, Java 13): a start of Spark that reads the archive takes about
two thirds of the time of one that does not. Where it cannot be made or does not fit, Java goes on
without.
"""

import importlib.resources
import os
import shutil
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from holdfast.adapters.own_folder import cache_folder
from holdfast.adapters.surroundings.packages import spark_folder, spark_version
from holdfast.adapters.surroundings.processes import ProcessGroup

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For a Spark that lives for seconds: what Java would gain by optimising comes too late."""
_QUIET = "-Xlog:disable -Xlog:all=error:stderr"
_WITHIN_S = 180.0
_KEPT = 4
"""Archives of other Sparks that stay: each has some 170 MB."""
_SCRIPT = "warm_up.py.template"


def quick_java_options(python: str, environ: Mapping[str, str]) -> str:
    """Options for Java, with the archive; makes it where it is not there yet."""
    archive = _archive(python, environ)
    return (
        QUICK_JAVA if archive is None else f"{QUICK_JAVA} {_QUIET} -XX:SharedArchiveFile={archive}"
    )


def _archive(python: str, environ: Mapping[str, str]) -> Path | None:
    version = spark_version()
    if version is None:
        return None
    folder = cache_folder(environ) / "java"
    archive = folder / f"spark-{version}-{_jars_and_java(environ)}.jsa"
    if archive.exists():
        return archive
    made = folder / f"{archive.name}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        script = folder / "warm_up.py"
        text = (importlib.resources.files("holdfast.templates") / "audit" / _SCRIPT).read_text()
        script.write_text(text, encoding="utf-8")
        options = f"{QUICK_JAVA} {_QUIET} -XX:ArchiveClassesAtExit={made}"
        with ProcessGroup(
            [python, str(script)],
            folder=folder,
            environ={"SPARK_LOCAL_IP": "127.0.0.1", **environ, "SPARK_SUBMIT_OPTS": options},
            output=folder / "warm_up.out",
            talk=folder / "warm_up.log",
        ) as running:
            code = running.wait(_WITHIN_S)
        if code != 0 or not made.exists():
            return None
        made.rename(archive)
        _forget_others(folder)
    except OSError:
        return None  # slower, and not wrong
    return archive


def _forget_others(folder: Path) -> None:
    archives = sorted(folder.glob("*.jsa"), key=lambda path: path.stat().st_mtime)
    for old in archives[: -_KEPT - 1]:
        old.unlink(missing_ok=True)


def _jars_and_java(environ: Mapping[str, str]) -> str:
    """Which jars and which Java: an archive that was made of others is passed over in silence."""
    home = environ.get("SPARK_HOME") or spark_folder() or ""
    java = environ.get("JAVA_HOME") or shutil.which("java", path=environ.get("PATH")) or ""
    names = f"{os.path.realpath(home)}\n{os.path.realpath(java)}"
    return blake2b(names.encode(), digest_size=4).hexdigest()
