"""What can be said of the declaration itself, and of the master that it names."""

from dataclasses import dataclass

from holdfast.core.doctor.check import Check, fine, skipped
from holdfast.core.guards.master import is_local_master


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What became of loading a declaration."""

    path: str
    is_there: bool
    problems: str = ""
    """What is wrong with it; empty where it loads, but for variables that are not set."""
    profile: str = ""
    jobs: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    """Variables that it refers to and that are not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterFact:
    """The master, and what answered there."""

    master: str
    under_submit: bool
    failure: str | None
    """Why no host of a spark:// master answers; empty where one does, None where none was asked."""


def judge_declared(fact: Declared) -> tuple[Check, ...]:
    """Whether it loads, and whether it has what it refers to."""
    if not fact.is_there:
        why = f"there is no {fact.path} here: only the machine was looked at"
        return (skipped("declaration", why),)
    checks = []
    if fact.problems:
        checks.append(
            Check(
                name="declaration",
                status="error",
                code="HF515",
                subject=fact.path,
                found=fact.problems,
                fix=(f"correct {fact.path}",),
            )
        )
    else:
        told = f"profile {fact.profile}, jobs {', '.join(fact.jobs)}"
        checks.append(fine("declaration", told, fact.path))
    if fact.unset:
        checks.append(
            Check(
                name="variables",
                status="error",
                code="HF514",
                subject=fact.path,
                found=f"not set: {', '.join(fact.unset)}",
                fix=(f"export {' '.join(f'{name}=…' for name in fact.unset)}",),
            )
        )
    return tuple(checks)


def judge_master(fact: MasterFact) -> Check:
    """Whether there is something to run on."""
    if fact.under_submit:
        return skipped("master", "under spark-submit it is the one given to it")
    if is_local_master(fact.master):
        return fine("master", f"{fact.master}: this machine")
    if fact.failure is None:
        return skipped("master", f"{fact.master}: only spark://host:port is tried")
    if not fact.failure:
        return fine("master", f"{fact.master} answers")
    return Check(
        name="master",
        status="error",
        code="HF516",
        found=f"{fact.master} does not answer: {fact.failure}",
        fix=("start it, or correct spark.master in the declaration",),
    )
