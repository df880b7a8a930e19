"""One check of `doctor`: what was looked at, what was found, and the line that mends it."""

from dataclasses import dataclass
from typing import Final, Literal

Status = Literal["ok", "warning", "error", "skipped"]

CODES: Final[dict[str, str]] = {
    "HF501": "Java was not found",
    "HF502": "this Java does not fit this Spark",
    "HF503": "pyspark is not installed",
    "HF504": "this version of pyspark is not supported",
    "HF505": "a library that the jobs need is not installed",
    "HF506": "pandas 3 and this PySpark do not fit together",
    "HF507": "Spark's Python workers run another Python",
    "HF508": "jars are not on this machine; Spark will fetch them",
    "HF509": "jars that the jobs need are missing",
    "HF510": "a jar does not fit this Spark",
    "HF511": "a base cannot be written to",
    "HF512": "the clock of a store and ours differ",
    "HF513": "little space is left",
    "HF514": "environment variables are not set",
    "HF515": "the declaration does not load",
    "HF516": "the master does not answer",
    "HF517": "something could not be looked at",
    "HF518": "a base cannot create files exclusively",
}
"""Every finding of `doctor`. A code is never reused; how bad it is depends on the case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    """What kind of thing: java, pyspark, jars, base, …"""
    status: Status
    found: str
    """What was found, or why it was not looked at."""
    subject: str = ""
    """Which one, where there may be several: a job, a base, a profile."""
    code: str = ""
    """HF5xx of what is wrong; empty where nothing is."""
    fix: tuple[str, ...] = ()
    """Lines that mend it, each to be typed as it is or as a sentence of what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Every check that was made, in the order in which a person would mend them."""

    target: str
    """The declaration, or `machine` where there is none."""
    profile: str
    """Empty where there is no declaration, or it does not load."""
    checks: tuple[Check, ...]


def fine(name: str, found: str, subject: str = "") -> Check:
    """A check that found nothing wrong."""
    return Check(name=name, status="ok", found=found, subject=subject)


def skipped(name: str, why: str, subject: str = "") -> Check:
    """A check that was not made, and why."""
    return Check(name=name, status="skipped", found=why, subject=subject)


def keeps_jobs_from_running(checks: tuple[Check, ...]) -> bool:
    """Whether anything is wrong that no job would survive."""
    return any(check.status == "error" for check in checks)
