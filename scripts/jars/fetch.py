"""Resolve groups of jars once: `python scripts/jars/fetch.py GROUP...` prints their folders.

Maven does the work, with one small POM for each group. Spark's own resolver (Ivy) is not used: in
a home that Maven has filled it finds POMs without jars and fails.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

COORDINATES = Path(__file__).resolve().parent / "jars.toml"
NEEDED_BY_JOBS = Path(__file__).resolve().parents[2] / "src" / "holdfast" / "adapters" / "jars.toml"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
# Written last: a folder without it, or with another list in it, is resolved anew.
STAMP = "resolved.txt"


class FetchError(Exception):
    """The jars cannot be had here; the message says what to do."""


def folder(group: str) -> Path:
    """The folder that holds the group's jars, resolved now if it is not there yet."""
    entry = coordinates(group)
    target = cache() / "jars" / group
    stamp = hashlib.sha256(repr(entry).encode()).hexdigest()
    if (target / STAMP).exists() and (target / STAMP).read_text() == stamp:
        return target
    if shutil.which("mvn") is None:
        raise FetchError(
            f"the jars of {group} are not in {target}, and mvn, which would fetch them, is not"
            " installed: install Maven, or put the jars there by hand"
        )
    resolve(group, entry, target)
    (target / STAMP).write_text(stamp)
    return target


def jars(group: str) -> str:
    """The group's jars, comma separated, as `spark.jars` wants them."""
    return ",".join(str(path) for path in sorted(folder(group).glob("*.jar")))


def coordinates(group: str) -> dict[str, object]:
    """The artifacts of a group, those that jobs need first."""
    groups = tomllib.loads(COORDINATES.read_text())
    if group not in groups:
        raise FetchError(f"no group {group} in {COORDINATES.name}; there are: {', '.join(groups)}")
    entry = groups[group]
    artifacts = [*needed_by_jobs(entry), *entry["artifacts"]]
    return {"transitive": entry["transitive"], "artifacts": artifacts}


def needed_by_jobs(entry: dict[str, Any]) -> list[str]:
    """What jobs need of this group, with the versions of which another one is taken here."""
    needs = tomllib.loads(NEEDED_BY_JOBS.read_text())
    spark = entry.get("spark", "")
    result = []
    for need in entry.get("needs", ()):
        for artifact in needs[need]["artifacts"]:
            name, _, version = artifact.rpartition(":")
            version = entry.get("instead", {}).get(name, version)
            filled = f"{name}:{version}".format(spark=spark, minor=spark.rpartition(".")[0])
            result.append(filled)
    return result


def resolve(group: str, entry: dict[str, object], target: Path) -> None:
    """Let Maven copy the jars into a scratch folder, and take that folder's place at the end."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        pom = Path(scratch) / "pom.xml"
        pom.write_text(project(entry))
        command = ["mvn", "-q", "-B", "-f", str(pom), COPY, "-DincludeScope=runtime"]
        command.append(f"-DoutputDirectory={scratch}/jars")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            lines = [line for line in done.stdout.splitlines() if "ERROR" in line]
            said = lines[0] if lines else done.stderr.strip()
            raise FetchError(f"Maven could not fetch the jars of {group} (network?): {said}")
        shutil.rmtree(target, ignore_errors=True)
        os.replace(Path(scratch) / "jars", target)


def project(entry: dict[str, object]) -> str:
    """A POM that depends on the artifacts, each with or without what it needs itself."""
    closed = (
        ""
        if entry["transitive"]
        else (
            "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>"
            "</exclusions>"
        )
    )
    dependencies = []
    for coordinate in entry["artifacts"]:  # type: ignore[attr-defined]
        group, artifact, version = coordinate.split(":")
        dependencies.append(
            f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
            f"<version>{version}</version>{closed}</dependency>"
        )
    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>holdfast</groupId>"
        "<artifactId>jars</artifactId><version>1</version>"
        f"<dependencies>{''.join(dependencies)}</dependencies></project>"
    )


def cache() -> Path:
    """The folder for everything that is downloaded once."""
    return Path(os.environ.get("HOLDFAST_CACHE", Path.home() / ".cache" / "holdfast"))


def main(words: list[str]) -> int:
    if not words:
        print("usage: python scripts/jars/fetch.py GROUP...", file=sys.stderr)
        return 2
    try:
        for group in words:
            print(folder(group))
    except FetchError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
