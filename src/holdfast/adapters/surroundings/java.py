"""The Java that Spark would start: JAVA_HOME first, then the PATH, as spark-class does."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from holdfast.core.doctor.java import JavaFact, System

ANSWER_SECONDS_MAX: Final = 20
"""A cold JVM on a busy machine takes a few."""
_OS_RELEASE: Final = "/etc/os-release"
_ANSWER_CHARACTERS_MAX: Final = 2_000


def look_at_java(environ: Mapping[str, str]) -> JavaFact:
    """Find java and ask it for its version."""
    home = environ.get("JAVA_HOME", "")
    path = _in_home(home) if home else shutil.which("java", path=environ.get("PATH")) or ""
    answer, failure = _ask(path, environ) if path else ("", "")
    system, release = _system()
    return JavaFact(
        home=home,
        path=path,
        answer=answer,
        failure=failure,
        system=system,
        release=release,
        is_root=os.geteuid() == 0,
    )


def _in_home(home: str) -> str:
    path = os.path.join(home, "bin", "java")
    return path if os.access(path, os.X_OK) and os.path.isfile(path) else ""


def _ask(path: str, environ: Mapping[str, str]) -> tuple[str, str]:
    try:
        done = subprocess.run(
            [path, "-version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ANSWER_SECONDS_MAX,
            env=dict(environ),
        )
    except subprocess.TimeoutExpired:
        return "", f"none within {ANSWER_SECONDS_MAX} s"
    except OSError as error:
        return "", error.strerror or type(error).__name__
    said = f"{done.stderr}\n{done.stdout}".strip()[:_ANSWER_CHARACTERS_MAX]
    return said, "" if done.returncode == 0 else f"it ended with {done.returncode}: {said[:200]}"


def _system() -> tuple[System, int]:
    """Which kind of system this is, and the release where it is Debian itself."""
    if sys.platform == "darwin":
        return "macos", 0
    try:
        with open(_OS_RELEASE, encoding="utf-8", errors="replace") as file:
            pairs = [line.strip().partition("=") for line in file]
    except OSError:
        return "other", 0
    values = {name: value.strip("\"'") for name, _, value in pairs}
    names = {values.get("ID", ""), *values.get("ID_LIKE", "").split()}
    if names & {"debian", "ubuntu"}:
        version = values.get("VERSION_ID", "")
        own = values.get("ID") == "debian" and version.isdigit()
        return "debian", int(version) if own else 0
    return ("fedora", 0) if names & {"fedora", "rhel", "centos"} else ("other", 0)
