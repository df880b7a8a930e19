"""What is to be started: from a declaration alone, or by analysing its plan without running it."""

import os
import re
from dataclasses import replace

from holdfast.adapters.spark.analysing import analyse
from holdfast.adapters.surroundings.code_revision import code_revision
from holdfast.adapters.surroundings.packages import spark_version
from holdfast.core.evidence.around import Query
from holdfast.core.evidence.declared_query import declared_query
from holdfast.core.evidence.query_print import parse_query
from holdfast.core.evidence.spark_release import release_of
from holdfast.core.fact import Absent, Fact, Known, Unreadable
from holdfast.core.job import UNDECLARED, Declaration, Job, SinkSpec, SourceSpec, TriggerSpec
from holdfast.core.running.analysis import Analysis
from holdfast.core.running.fingerprint import encode_fingerprint
from holdfast.core.running.ports import PlanFacts
from holdfast.core.secret_text import hide
from holdfast.errors import HoldfastError, UsageError
from holdfast.flows.declaration import load
from holdfast.flows.fingerprinting import fingerprint_of
from holdfast.flows.prepare import Surrounding
from holdfast.flows.status import Target

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_NOT_ASKED = Absent("the source was not asked who it is")
_NOBODY_SAID = Absent("no declaration and no --against")


def next_query(
    target: Target, *, against: str | None, file: str, profile: str | None
) -> Fact[Query]:
    """What is to be started on this checkpoint.

    Without `against` it is the declaration of a declared job, and unknown for a bare checkpoint.
    Raises UsageError where `against` names nothing that could be meant.
    """
    if against is None:
        return _declared(target, file, profile) if target.declared else _NOBODY_SAID
    if not _FUNCTION.fullmatch(against):
        declaration = load(against, profile)
        job = _same_job(declaration, target)
        wanted = Analysis(file=declaration.path, profile=profile, job=job.name)
        return _analysed(job, declaration, wanted, against)
    if not target.declared:
        job = _undeclared(target.checkpoint)
        return _analysed(job, None, Analysis(function=against), against)
    declaration = load(file, profile)
    job = replace(_same_job(declaration, target), transform=against)
    wanted = Analysis(file=declaration.path, profile=profile, job=job.name, function=against)
    return _analysed(job, declaration, wanted, against)


def starting_spark(given: str | None) -> Fact[str]:
    """The Spark that would start it: the one that was named, or the one that is installed here."""
    if given is not None:
        if release_of(given) is None:
            raise UsageError(
                "this is no version of Spark", subject=given, next_action="write it as 4.2.0"
            )
        return Known(given, "--spark")
    installed = spark_version()
    return Absent("pyspark is not installed") if installed is None else Known(installed, "pyspark")


def _declared(target: Target, file: str, profile: str | None) -> Fact[Query]:
    declaration = load(file, profile)
    query = declared_query(
        _same_job(declaration, target),
        settings=declaration.spark,
        secrets=declaration.secrets,
        code_revision=code_revision(declaration.folder),
        spark=spark_version(),
    )
    return Known(query, declaration.path)


def _same_job(declaration: Declaration, target: Target) -> Job:
    """By its name, or by its checkpoint: both are fixed for ever."""
    name = target.name.rstrip("/").rpartition("/")[2]
    for job in declaration.jobs:
        if job.name == name or job.checkpoint.rstrip("/") == target.checkpoint.rstrip("/"):
            return job
    raise UsageError(
        f"no job is called {name!r} in profile {declaration.profile!r}",
        subject=declaration.path,
        next_action=f"judge one of {', '.join(job.name for job in declaration.jobs)}",
    )


def _analysed(
    job: Job, declaration: Declaration | None, wanted: Analysis, origin: str
) -> Fact[Query]:
    secrets = declaration.secrets if declaration else frozenset()
    try:
        facts = analyse(wanted)
    except HoldfastError as error:
        return Unreadable(f"--against {origin}", hide(error.message, secrets), error.code)
    folder = declaration.folder if declaration else os.getcwd()
    return Known(_query(job, facts, secrets, code_revision(folder)), f"--against {origin}")


def _query(job: Job, facts: PlanFacts, secrets: frozenset[str], revision: str | None) -> Query:
    """The very words that a start would have written down, so that both can be compared."""
    around = Surrounding(
        base="",
        profile="",
        master="",
        code_revision=revision,
        secrets=secrets,
        once=False,
        take_over=False,
    )
    stored = encode_fingerprint(fingerprint_of(job, "", 0, facts, around, _NOT_ASKED))
    return replace(parse_query(stored), origin="the analysed plan")


def _undeclared(checkpoint: str) -> Job:
    return Job(
        name="",
        source=SourceSpec(format=UNDECLARED, path=None, schema=None, options={}, job=None),
        transform=None,
        sink=SinkSpec(kind=UNDECLARED, options={}),
        trigger=TriggerSpec(kind="processing-time", interval=None),
        output_mode="append",
        checkpoint=checkpoint,
    )
