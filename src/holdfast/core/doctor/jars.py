"""Which jars a profile needs, which are there, and whether they fit this Spark.

Delta's artifact carries the version of Spark in its name since Delta 4.1 (`delta-spark_4.2_2.13`);
before, one release of Delta meant one of Spark. The Kafka connector has Spark's own version. Both
call private classes of Spark, so that another minor version fails with a NoSuchMethodError, and
often only in the middle of a batch.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from holdfast.core.doctor.check import Check, fine, skipped

JarOrigin = Literal["none", "submit", "spark.jars", "spark.jars.packages", "folder", "cache", "get"]

SCALA: Final = "2.13"
"""The only Scala that Spark 4 is built for."""
HEADS: Final = {"delta": "delta-spark", "kafka": "spark-sql-kafka-0-10"}
"""Of each need the artifact that names the others."""
COPY: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
_ARTIFACT = re.compile(r"(?P<head>[a-z0-9-]+?)(?:_(?P<spark>\d+\.\d+))?_(?P<scala>2\.\d+)")
_JAR = re.compile(r"(?P<artifact>.+)-(?P<version>\d[^-]*(?:-[A-Za-z][^-]*)?)\.jar")


@dataclass(frozen=True, slots=True, kw_only=True)
class JarPlan:
    """Where the jars of one declaration come from."""

    needs: tuple[str, ...]
    spark: str | None
    """The version of Spark, None where pyspark is not installed."""
    origin: JarOrigin
    """`get`: nothing was given and nothing is there, so Spark is told to fetch the packages."""
    folder: str = ""
    jars: tuple[str, ...] = ()
    """Paths or URLs of jars, in the order of the list."""
    packages: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Coordinates of which no jar was found in the folder."""
    unreleased: tuple[str, ...] = ()
    """Needs of which no release for this Spark is known."""
    newest: str = ""
    """The newest Spark for which all that is needed is released."""


def minor_of(version: str) -> str:
    """4.2 of 4.2.0."""
    return ".".join(version.split(".")[:2])


def jar_name(path: str) -> tuple[str, str]:
    """Artifact and version of a jar by its file name; empty where it does not say."""
    match = _JAR.fullmatch(path.replace("\\", "/").rpartition("/")[2])
    return (match["artifact"], match["version"]) if match else ("", "")


def misfit(artifact: str, version: str, spark: str) -> str:
    """Why a jar cannot work with this Spark; empty where it can, or where nobody can tell."""
    match = _ARTIFACT.fullmatch(artifact)
    if match is None or match["head"] not in HEADS.values():
        return ""
    if match["scala"] != SCALA:
        return f"is built for Scala {match['scala']}, and Spark {spark} for Scala {SCALA}"
    minor = minor_of(spark)
    if match["head"] == HEADS["kafka"]:
        built_for = minor_of(version)
    elif match["spark"] is not None:
        built_for = match["spark"]
    elif version.startswith("4.0."):
        built_for = "4.0"
    elif version.startswith(("2.", "3.")):
        built_for = "3.x"
    else:
        return ""
    return "" if built_for == minor else f"is built for Spark {built_for}, and Spark is {spark}"


def fetch_line(coordinates: tuple[str, ...], folder: str) -> str:
    """The line that puts jars into a folder."""
    get = f'mvn -q -B {COPY} -Dartifact="$jar" -DoutputDirectory="{folder}"'
    return f"for jar in {' '.join(coordinates)}; do {get}; done"


def judge_jars(plan: JarPlan, profile: str) -> tuple[Check, ...]:
    """One check for each need of a profile, or one that says that there is none."""
    subject = f"profile {profile}"
    if not plan.needs:
        return (fine("jars", "none needed beyond pyspark's own", subject),)
    if plan.spark is None:
        return (skipped("jars", "pyspark is not installed, so no version can be told", subject),)
    needed = ", ".join(plan.needs)
    if plan.origin == "submit":
        why = f"{needed}: under spark-submit they are those given to it"
        return (skipped("jars", why, subject),)
    if plan.unreleased:
        return (_unreleased(plan, subject),)
    if plan.missing:
        return (_missing(plan, subject),)
    if plan.origin == "get":
        return (_to_get(plan, subject),)
    return tuple(_given(need, plan, subject) for need in plan.needs)


def _unreleased(plan: JarPlan, subject: str) -> Check:
    return Check(
        name="jars",
        status="error",
        code="HF510",
        subject=subject,
        found=f"{', '.join(plan.unreleased)} has no release for Spark {plan.spark}",
        fix=(f"pip install 'pyspark=={plan.newest}.*'",),
    )


def _missing(plan: JarPlan, subject: str) -> Check:
    return Check(
        name="jars",
        status="error",
        code="HF509",
        subject=subject,
        found=f"{plan.folder} (HOLDFAST_JARS) lacks {', '.join(plan.missing)}",
        fix=(fetch_line(plan.missing, plan.folder),),
    )


def _to_get(plan: JarPlan, subject: str) -> Check:
    packages = ",".join(plan.packages)
    return Check(
        name="jars",
        status="warning",
        code="HF508",
        subject=subject,
        found=f"{', '.join(plan.needs)}: not here; Spark fetches {packages} at the first start",
        fix=(
            "nothing, where this machine reaches Maven Central; else put them into a folder:",
            fetch_line(plan.jars, "$HOME/holdfast-jars"),
            'export HOLDFAST_JARS="$HOME/holdfast-jars"',
        ),
    )


def _given(need: str, plan: JarPlan, subject: str) -> Check:
    """Whether what somebody gave holds this need, and fits."""
    assert plan.spark is not None
    named = [jar_name(jar) for jar in plan.jars]
    named += [(p.split(":")[1], p.split(":")[2]) for p in plan.packages if p.count(":") >= 2]
    heads = [(a, v) for a, v in named if a.partition("_")[0] == HEADS[need]]
    where = plan.folder or plan.origin
    if not heads:
        return Check(
            name="jars",
            status="error",
            code="HF509",
            subject=subject,
            found=f"{need}: {where} names no {HEADS[need]}",
            fix=(f"add it to {plan.origin}, or leave {plan.origin} out of the declaration",),
        )
    for artifact, version in heads:
        why = misfit(artifact, version, plan.spark)
        if why:
            return Check(
                name="jars",
                status="error",
                code="HF510",
                subject=subject,
                found=f"{need}: {artifact} {version} in {where} {why}",
                fix=(f"take the {HEADS[need]} for Spark {minor_of(plan.spark)}",),
            )
    told = ", ".join(f"{artifact} {version}" for artifact, version in heads)
    return fine("jars", f"{need}: {told}, from {where}", subject)
