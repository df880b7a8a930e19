"""doctor: what would keep jobs from running here, and the line that mends each."""

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from holdfast.adapters.declarations.loading import FILE_NAME, load_declaration
from holdfast.adapters.declarations.unset_variables import MADE_UP, EveryVariable
from holdfast.adapters.jars import SUBMIT_VARIABLE, plan_jars
from holdfast.adapters.storage.opening import shown
from holdfast.adapters.surroundings.base_probe import free_bytes, probe_records
from holdfast.adapters.surroundings.java import look_at_java
from holdfast.adapters.surroundings.master_port import ask_master
from holdfast.adapters.surroundings.packages import is_there, spark_version, version_of
from holdfast.adapters.surroundings.python_worker import look_at_worker
from holdfast.core.doctor.check import Check, Diagnosis
from holdfast.core.doctor.checkpoints import BaseFact, judge_base
from holdfast.core.doctor.declared import Declared, MasterFact, judge_declared, judge_master
from holdfast.core.doctor.jars import judge_jars
from holdfast.core.doctor.java import judge_java
from holdfast.core.doctor.libraries import (
    Library,
    judge_library,
    judge_pandas,
    judge_pyspark,
    judge_worker,
)
from holdfast.core.guards.master import is_local_master
from holdfast.core.job import Declaration, Job
from holdfast.core.secret_text import as_shown, hide
from holdfast.errors import HoldfastError, UsageError

_MASTER = "spark.master"
_TRANSFORM_BYTES_MAX = 1_000_000
_PYTHON_LIBRARIES = {
    "pandas": re.compile(r"pandas|\bpd\.", re.IGNORECASE),
    "pyarrow": re.compile(r"arrow|pandas", re.IGNORECASE),
}
"""Words of a transform that need a library: PySpark hands rows to pandas by way of Arrow."""


def doctor(
    file: str | None, *, profile: str | None = None, environ: Mapping[str, str]
) -> Diagnosis:
    """Look at this machine, and at what the jobs of a declaration need of it.

    Starts no Spark, and writes nothing but one small file for each job, which is removed at once.
    Without `file` the holdfast.yaml of this folder is taken where there is one. Raises UsageError
    where a file that was named is not there.
    """
    declared, declaration = _load(file, profile, environ)
    spark = spark_version()
    settings = declaration.spark if declaration else {}
    master = settings.get(_MASTER, "local[*]")
    under_submit = SUBMIT_VARIABLE in environ
    is_local = is_local_master(master) and not under_submit
    checks = [
        judge_java(look_at_java(environ), spark),
        judge_pyspark(spark),
        judge_worker(look_at_worker(settings, environ, is_local=is_local)),
        *judge_declared(declared),
    ]
    if declaration is None:
        checks += judge_pandas(version_of("pandas"))
    else:
        checks += _libraries(declaration)
        checks += _jars(declaration, environ)
        asked = None if under_submit else ask_master(master)
        checks.append(
            judge_master(MasterFact(master=master, under_submit=under_submit, failure=asked))
        )
        checks += _bases(declaration)
    return Diagnosis(
        target=declared.path if declared.is_there else "machine",
        profile=declared.profile,
        checks=tuple(_without_secrets(check, declaration) for check in checks),
    )


def _load(
    file: str | None, profile: str | None, environ: Mapping[str, str]
) -> tuple[Declared, Declaration | None]:
    path = file if file is not None else FILE_NAME
    if file is None and not os.path.lexists(path):
        if profile is not None:
            raise UsageError(
                f"a profile is one of a declaration, and there is no {FILE_NAME} here",
                subject=profile,
                next_action="name one with --file",
            )
        return Declared(path=path, is_there=False), None
    if not os.path.exists(path):
        raise UsageError(
            "there is no declaration at this path", subject=path, next_action="check the path"
        )
    every = EveryVariable(environ)
    try:
        declaration = load_declaration(path, profile=profile, environ=every)
    except UsageError as error:
        problems = error.message
        return (
            Declared(path=path, is_there=True, problems=problems, unset=tuple(every.unset)),
            None,
        )
    return (
        Declared(
            path=path,
            is_there=True,
            profile=declaration.profile,
            jobs=tuple(job.name for job in declaration.jobs),
            unset=tuple(every.unset),
        ),
        declaration,
    )


def _libraries(declaration: Declaration) -> list[Check]:
    texts = {job.name: _transform_text(declaration, job) for job in declaration.jobs}
    sql = tuple(job.name for job in declaration.jobs if job.sink.kind == "sql")
    checks: list[Check] = []
    for name, words in _PYTHON_LIBRARIES.items():
        jobs = tuple(job for job, text in texts.items() if words.search(text))
        version = version_of(name)
        if name == "pandas" and version is not None:
            checks += judge_pandas(version)
            continue
        why = "transforms that work with pandas or Arrow need it"
        checks.append(_library(name, version, jobs, why, "holdfast[spark]"))
    version = version_of("sqlalchemy") if is_there("sqlalchemy") else None
    why = "sinks of kind sql need it"
    checks.append(_library("sqlalchemy", version, sql, why, "holdfast[sql]"))
    kafka = tuple(job.name for job in declaration.jobs if job.sink.kind == "kafka")
    if kafka:
        version = version_of("confluent-kafka") if is_there("confluent_kafka") else None
        why = "sinks of kind kafka need it"
        checks.append(_library("confluent-kafka", version, kafka, why, "holdfast[kafka]"))
    return checks


def _library(name: str, version: str | None, jobs: tuple[str, ...], why: str, extra: str) -> Check:
    install = f"pip install '{extra}'"
    return judge_library(Library(name=name, version=version, jobs=jobs, why=why, install=install))


def _transform_text(declaration: Declaration, job: Job) -> str:
    """The file of a transform, which is read and never imported; empty where it is elsewhere."""
    if job.transform is None:
        return ""
    module = job.transform.partition(":")[0].replace(".", "/")
    for name in (f"{module}.py", f"{module}/__init__.py"):
        try:
            with Path(declaration.folder, name).open("rb") as file:
                return file.read(_TRANSFORM_BYTES_MAX).decode("utf-8", errors="replace")
        except OSError:
            continue
    return ""


def _jars(declaration: Declaration, environ: Mapping[str, str]) -> tuple[Check, ...]:
    try:
        plan = plan_jars(declaration, environ)
    except HoldfastError as error:
        told = f"{error.message}: {error.subject}"
        fix = (error.next_action,)
        return (Check(name="jars", status="error", code="HF517", found=told, fix=fix),)
    return judge_jars(plan, declaration.profile)


def _bases(declaration: Declaration) -> list[Check]:
    """Every base once, with the jobs whose checkpoints lie there."""
    bases: dict[str, list[Job]] = {}
    for job in declaration.jobs:
        bases.setdefault(job.checkpoint.rpartition("/")[0] or "/", []).append(job)
    checks: list[Check] = []
    for base, jobs in bases.items():
        location = shown(as_shown(jobs[0].checkpoint).rpartition("/")[0] or "/")
        checks += judge_base(_look_at(base, location, jobs))
    return checks


def _look_at(base: str, location: str, jobs: list[Job]) -> BaseFact:
    if MADE_UP in base:
        return BaseFact(location=location, probes=(), skipped="it needs a variable that is not set")
    return BaseFact(
        location=location,
        probes=tuple(probe_records(job.name, str(job.checkpoint)) for job in jobs),
        free_bytes=free_bytes(base),
    )


def _without_secrets(check: Check, declaration: Declaration | None) -> Check:
    """The check with every value that came from the environment shown as its reference."""
    secrets = declaration.secrets if declaration else frozenset()
    return replace(
        check,
        found=hide(check.found, secrets),
        subject=hide(check.subject, secrets),
        fix=tuple(hide(line, secrets) for line in check.fix),
    )
