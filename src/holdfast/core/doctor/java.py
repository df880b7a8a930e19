"""Whether there is a Java, and whether Spark runs on it.

Spark 4 needs Java 17 (SPARK-45315). It is tested with 17 and 21, and from 4.2 on with 25 as well
(SPARK-56815). spark-class takes JAVA_HOME before the PATH, and looks no further where it is wrong.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from holdfast.core.doctor.check import Check, fine

System = Literal["debian", "fedora", "macos", "other"]

OLDEST: Final = 17
_NEWEST: Final = {"4.0": 21, "4.1": 21}
_NEWEST_LATER: Final = 25
_VERSION = re.compile(r'version "(?P<major>\d+)(?:\.(?P<minor>\d+))?[^"]*"')
INSTALL: Final[dict[System, tuple[str, ...]]] = {
    "debian": ("apt-get install -y --no-install-recommends openjdk-17-jre-headless",),
    "fedora": ("dnf install -y java-21-openjdk-headless",),
    "macos": (
        "brew install openjdk@17",
        'export JAVA_HOME="$(brew --prefix openjdk@17)/libexec/openjdk.jdk/Contents/Home"',
    ),
}
"""The lines that install a Java that every supported Spark runs on."""
_NAMES: Final[dict[System, str]] = {
    "debian": "Debian, Ubuntu",
    "fedora": "Fedora",
    "macos": "macOS",
}
_NEWER_DEBIAN: Final = "apt-get install -y --no-install-recommends openjdk-21-jre-headless"
_DEBIAN_WITHOUT_17: Final = 13
_USE_IT: Final = "then point JAVA_HOME at the new one"


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaFact:
    """What `java -version` said."""

    home: str
    """JAVA_HOME, empty where it is not set."""
    path: str
    """The program that Spark would start, empty where there is none."""
    answer: str
    """What it printed; empty where it could not be run."""
    failure: str
    """Why it could not be run, empty where it could."""
    system: System
    release: int = 0
    """Of Debian itself, 0 where it is another or not known."""
    is_root: bool = False


def judge_java(fact: JavaFact, spark: str | None) -> Check:
    """One check."""
    if not fact.path:
        return _not_found(fact)
    if fact.failure:
        return Check(
            name="java",
            status="error",
            code="HF517",
            found=f"{fact.path} -version gave no answer: {fact.failure}",
            fix=(f"run it by hand: {fact.path} -version",),
        )
    match = _VERSION.search(fact.answer)
    if match is None:
        said = " ".join(fact.answer.split())[:100]
        return Check(
            name="java",
            status="warning",
            code="HF517",
            found=f"{fact.path} does not say its version: {said!r}",
            fix=(f"Java {OLDEST} or newer is needed",),
        )
    return _judge_version(fact, match, spark)


def _judge_version(fact: JavaFact, match: re.Match[str], spark: str | None) -> Check:
    version = match[0].removeprefix("version ").strip('"')
    major = int(match["major"])
    if major == 1 and match["minor"]:
        major = int(match["minor"])  # 1.8 is Java 8
    if major < OLDEST:
        return Check(
            name="java",
            status="error",
            code="HF502",
            found=f"Java {version} in {fact.path}; Spark 4 needs {OLDEST} or newer",
            fix=(*install_lines(fact), _USE_IT),
        )
    newest = _NEWEST_LATER if spark is None else _newest(spark)
    if major > newest:
        return Check(
            name="java",
            status="warning",
            code="HF502",
            found=f"Java {version} in {fact.path}; Spark is tested with {newest} at most",
            fix=(*install_lines(fact), _USE_IT),
        )
    return fine("java", f"Java {version} in {fact.path}")


def install_lines(fact: JavaFact) -> tuple[str, ...]:
    """The lines for this system; those for all where it is not known."""
    sudo = "" if fact.is_root else "sudo "
    if fact.system == "debian" and fact.release >= _DEBIAN_WITHOUT_17:
        return (f"{sudo}{_NEWER_DEBIAN}",)
    if fact.system != "other":
        lines = INSTALL[fact.system]
        return tuple(line if fact.system == "macos" else f"{sudo}{line}" for line in lines)
    return tuple(f"{_NAMES[system]}: {' && '.join(lines)}" for system, lines in INSTALL.items())


def _not_found(fact: JavaFact) -> Check:
    if fact.home:
        return Check(
            name="java",
            status="error",
            code="HF501",
            found=f"JAVA_HOME is {fact.home}, and there is no bin/java in it",
            fix=("unset JAVA_HOME", *install_lines(fact)),
        )
    return Check(
        name="java",
        status="error",
        code="HF501",
        found="no java on the PATH, and JAVA_HOME is not set",
        fix=install_lines(fact),
    )


def _newest(spark: str) -> int:
    return _NEWEST.get(".".join(spark.split(".")[:2]), _NEWEST_LATER)
