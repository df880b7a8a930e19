"""The jars that declared jobs need beyond pyspark, and the settings that bring them in.

In this order: what the declaration itself says (`spark.jars`, `spark.jars.packages`), the folder
that the variable HOLDFAST_JARS names, the cache of `make jars`, and Spark's own resolver. Under
spark-submit all is left alone: the driver runs already, and its class path is that of the command.
"""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from holdfast.adapters.surroundings.packages import spark_version
from holdfast.core.doctor.jars import JarPlan, fetch_line, jar_name, minor_of
from holdfast.core.job import Declaration
from holdfast.errors import NotInstalledError, UnreachableError, UsageError

JARS: Final = "spark.jars"
PACKAGES: Final = "spark.jars.packages"
EXTENSIONS: Final = "spark.sql.extensions"
CATALOG: Final = "spark.sql.catalog.spark_catalog"
DELTA_EXTENSION: Final = "io.delta.sql.DeltaSparkSessionExtension"
DELTA_CATALOG: Final = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
FOLDER_VARIABLE: Final = "HOLDFAST_JARS"
CACHE_VARIABLE: Final = "HOLDFAST_CACHE"
SUBMIT_VARIABLE: Final = "PYSPARK_GATEWAY_PORT"
"""Set by spark-submit, whose Java process is there before ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One jar that is wanted."""

    coordinate: str
    minor: str
    """The version of a jar that is found must begin with this; empty where any will do."""

    @property
    def name(self) -> str:
        """What the file's name begins with."""
        return self.coordinate.split(":")[1]

    @property
    def version(self) -> str:
        """The version that we know to work."""
        return self.coordinate.split(":")[2]


def needs_of(declaration: Declaration) -> frozenset[str]:
    """What the jobs of a declaration need: delta, kafka, both or nothing."""
    formats = {job.source.format for job in declaration.jobs}
    kinds = {job.sink.kind for job in declaration.jobs}
    return frozenset(({"delta", "kafka"} & formats) | ({"delta"} & kinds))


def jar_settings(declaration: Declaration, environ: Mapping[str, str]) -> Mapping[str, str]:
    """The Spark settings that a profile needs and the declaration did not set.

    Raises NotInstalledError where pyspark or a jar of the given folder is missing, and UsageError
    where nothing is released for this Spark.
    """
    plan = plan_jars(declaration, environ)
    if not plan.needs or plan.origin == "submit":
        return {}
    _refuse(plan)
    settings: dict[str, str] = {}
    if plan.origin in ("folder", "cache"):
        settings[JARS] = ",".join(plan.jars)
    elif plan.origin == "get":
        settings[PACKAGES] = ",".join(plan.packages)
    if "delta" in plan.needs:
        settings |= _delta_settings(declaration.spark)
    return settings


def plan_jars(declaration: Declaration, environ: Mapping[str, str]) -> JarPlan:
    """Where the jars of a declaration come from; refuses nothing."""
    needs = tuple(sorted(needs_of(declaration)))
    spark = spark_version()
    given = declaration.spark
    if not needs:
        return JarPlan(needs=needs, spark=spark, origin="none")
    if SUBMIT_VARIABLE in environ:
        return JarPlan(needs=needs, spark=spark, origin="submit")
    if JARS in given or PACKAGES in given:
        return JarPlan(
            needs=needs,
            spark=spark,
            origin="spark.jars" if JARS in given else "spark.jars.packages",
            jars=_listed(given.get(JARS, "")),
            packages=_listed(given.get(PACKAGES, "")),
        )
    if spark is None:
        return JarPlan(needs=needs, spark=None, origin="get")
    return _plan_found(needs, spark, environ)


def _plan_found(needs: tuple[str, ...], spark: str, environ: Mapping[str, str]) -> JarPlan:
    wanted = wanted_jars(needs, spark)
    folder = environ.get(FOLDER_VARIABLE, "")
    if folder:
        found = find_jars(os.path.abspath(folder), wanted)
        return JarPlan(
            needs=needs,
            spark=spark,
            origin="folder",
            folder=os.path.abspath(folder),
            jars=tuple(path for path in found.values() if path),
            missing=tuple(coordinate for coordinate, path in found.items() if not path),
        )
    cache = _cache(environ)
    cached = _find_cached(cache, wanted)
    if len(cached) == len(wanted):
        return JarPlan(needs=needs, spark=spark, origin="cache", folder=cache, jars=cached)
    listed = _list()
    released = [set(listed[need]["spark"]) for need in needs]
    return JarPlan(
        needs=needs,
        spark=spark,
        origin="get",
        jars=tuple(artifact.coordinate for artifact in wanted),
        packages=tuple(_filled(listed[need]["artifacts"][0], spark) for need in needs),
        unreleased=tuple(n for n in needs if minor_of(spark) not in listed[n]["spark"]),
        newest=max(set.intersection(*released), key=_numbers),
    )


def wanted_jars(needs: Sequence[str], spark: str) -> tuple[Artifact, ...]:
    """Every jar of these needs for this version of Spark."""
    return tuple(
        Artifact(
            coordinate=_filled(text, spark),
            # Another release of the connector is another Spark's; of its companions many will do.
            minor=f"{minor_of(spark)}." if place == 0 and text.endswith(":{spark}") else "",
        )
        for need in needs
        for place, text in enumerate(_list()[need]["artifacts"])
    )


def find_jars(folder: str, wanted: Sequence[Artifact]) -> dict[str, str | None]:
    """The jar of each artifact in a folder, by coordinate; None where there is none.

    By name: the version that we know to work if it is there, else the newest.
    """
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.endswith(".jar")]
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise UnreachableError(
            f"the folder of jars cannot be read: {error.strerror}",
            subject=folder,
            next_action=f"check {FOLDER_VARIABLE} and its permissions",
        ) from error
    found: dict[str, dict[str, str]] = {}
    for name in names:
        artifact, version = jar_name(name)
        found.setdefault(artifact, {})[version] = os.path.join(folder, name)
    return {each.coordinate: _best(each, found.get(each.name, {})) for each in wanted}


def _best(wanted: Artifact, versions: Mapping[str, str]) -> str | None:
    if wanted.version in versions:
        return versions[wanted.version]
    fitting = [version for version in versions if version.startswith(wanted.minor)]
    return versions[max(fitting, key=_numbers)] if fitting else None


def _refuse(plan: JarPlan) -> None:
    if plan.spark is None and plan.origin == "get":
        raise NotInstalledError(
            "running jobs needs pyspark", next_action="pip install 'holdfast[spark]'"
        )
    if plan.missing:
        raise NotInstalledError(
            f"the folder of jars lacks {', '.join(plan.missing)}",
            subject=plan.folder,
            next_action=fetch_line(plan.missing, plan.folder),
        )
    if plan.unreleased:
        raise UsageError(
            f"{', '.join(plan.unreleased)} has no release for Spark {plan.spark}",
            subject=PACKAGES,
            next_action=f"pip install 'pyspark=={plan.newest}.*'",
        )
    if any("," in jar for jar in plan.jars if plan.origin in ("folder", "cache")):
        raise UsageError(
            "the path of a folder of jars cannot hold a comma, which Spark takes for the next jar",
            subject=plan.folder,
            next_action=f"rename the folder and set {FOLDER_VARIABLE} to it",
        )


def _delta_settings(given: Mapping[str, str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    extensions = _listed(given.get(EXTENSIONS, ""))
    if DELTA_EXTENSION not in extensions:
        settings[EXTENSIONS] = ",".join([*extensions, DELTA_EXTENSION])
    if CATALOG not in given:
        settings[CATALOG] = DELTA_CATALOG
    return settings


def _list() -> dict[str, Any]:
    return tomllib.loads((files("holdfast.adapters") / "jars.toml").read_text(encoding="utf-8"))


def _filled(text: str, spark: str) -> str:
    return text.format(spark=spark, minor=minor_of(spark))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else -1 for part in version.split("."))


def _cache(environ: Mapping[str, str]) -> str:
    given = environ.get(CACHE_VARIABLE) or os.path.expanduser("~/.cache/holdfast")
    return os.path.abspath(os.path.join(given, "jars", "lake"))


def _find_cached(cache: str, wanted: Sequence[Artifact]) -> tuple[str, ...]:
    try:
        return tuple(path for path in find_jars(cache, wanted).values() if path)
    except UnreachableError:
        return ()  # nobody asked for this folder
