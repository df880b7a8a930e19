"""demo: run a real pipeline, kill it in a batch, start it again, and count what is lost."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.adapters.clock import now_ms
from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.surroundings.java import look_at_java
from holdfast.adapters.surroundings.packages import is_there, spark_version, version_of
from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.adapters.surroundings.programs import holdfast_command
from holdfast.core.demo.event import (
    BatchQueryStarted,
    ProjectWritten,
    RunStarted,
    TellDemo,
    tell_nobody,
)
from holdfast.core.doctor.check import Check
from holdfast.core.doctor.java import judge_java
from holdfast.core.doctor.libraries import Library, judge_library, judge_pyspark
from holdfast.errors import NotInstalledError, UnreachableError
from holdfast.flows.demo.judging import Judgement, ask_batch_query, gold_rows, judge
from holdfast.flows.demo.killing import Kill, kill_in_a_batch
from holdfast.flows.demo.project import (
    FILES,
    KILLED_JOB,
    LINES_PER_FILE,
    Project,
    write_project,
)
from holdfast.flows.evidence import Asked, take_evidence
from holdfast.flows.judge import Judged
from holdfast.flows.judge import judge as judge_restart

_RUN_WITHIN_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstrated:
    """What the demo did, and what came of it."""

    folder: str
    job: str
    """The job that was killed."""
    checkpoint: str
    kill: Kill | None
    """None where no kill hit a batch."""
    judged: Judged | None = None
    """What `judge` said of a resume after the kill, before the restart."""
    starts: int
    """How often `holdfast run` was started, the last time included."""
    batches_after: int
    """Batches of that job after the restart, the killed one among them."""
    judgement: Judgement
    duration_ms: int
    next_commands: tuple[str, ...]

    @property
    def is_proven(self) -> bool:
        """Whether a batch was really killed and every row is there once all the same."""
        return self.kill is not None and self.batches_after > 0 and self.judgement.is_exact


def demo(
    folder: str | None, *, environ: Mapping[str, str], tell: TellDemo = tell_nobody
) -> Demonstrated:
    """Run the demo in a folder, a new one in the cache where none is named; it is kept.

    Raises NotInstalledError where Java or a library is missing, before anything is written.
    """
    started_ms = now_ms()
    _check_needs(environ)
    project = write_project(folder, environ)
    tell(ProjectWritten(folder=str(project.folder), files=FILES, lines=FILES * LINES_PER_FILE))

    def start(number: int) -> ProcessGroup:
        tell(RunStarted(number=number))
        return _start_run(project, number)

    attempt = kill_in_a_batch(start, project.killed_checkpoint, tell)
    judged = _judged(project) if attempt.kill is not None else None
    last, code = attempt.starts, attempt.ended
    if code is None:
        last += 1
        with start(last) as group:
            code = group.wait(_RUN_WITHIN_S)
    if code != 0:
        raise _run_failed(project, _run_name(last))
    jobs = _jobs(project, _run_name(last))
    tell(BatchQueryStarted())
    return Demonstrated(
        folder=str(project.folder),
        job=KILLED_JOB,
        checkpoint=str(project.killed_checkpoint),
        kill=attempt.kill,
        judged=judged,
        starts=last,
        batches_after=sum(job["batches"] for job in jobs if job["job"] == KILLED_JOB),
        judgement=judge(ask_batch_query(project), gold_rows(project)),
        duration_ms=now_ms() - started_ms,
        next_commands=_next_commands(project),
    )


def _judged(project: Project) -> Judged:
    asked = Asked(target=KILLED_JOB, file=str(project.declaration))
    return judge_restart(take_evidence(asked, ThisMachine()), "resume")


def _check_needs(environ: Mapping[str, str]) -> None:
    """Whether jobs could run here at all; says every line that is missing, not only the first."""
    spark = spark_version()
    sqlalchemy = Library(
        name="sqlalchemy",
        version=version_of("sqlalchemy") if is_there("sqlalchemy") else None,
        jobs=(KILLED_JOB,),
        why="gold is a table of SQLite",
        install="pip install 'holdfast[sql]'",
    )
    checks = (
        judge_java(look_at_java(environ), spark),
        judge_pyspark(spark),
        judge_library(sqlalchemy),
    )
    wrong = [check for check in checks if check.status == "error"]
    if wrong:
        raise NotInstalledError(
            f"the demo runs real Spark jobs: {'; '.join(map(_found, wrong))}",
            next_action="; ".join(line for check in wrong for line in check.fix),
        )


def _found(check: Check) -> str:
    return f"{check.name}: {check.found} ({check.code})"


def _start_run(project: Project, number: int) -> ProcessGroup:
    arguments = ("run", "--once", "--file", str(project.declaration), "--output", "json")
    return project.start(_run_name(number), "-m", "holdfast", *arguments)


def _run_name(number: int) -> str:
    return f"run-{number}"


def _jobs(project: Project, run: str) -> list[dict[str, Any]]:
    """How each job of a run ended, as it printed it; nothing where it printed nothing."""
    try:
        answer = json.loads(project.output(run).read_bytes())
        return list(answer["result"]["jobs"])
    except (OSError, ValueError, KeyError):
        return []


def _run_failed(project: Project, run: str) -> UnreachableError:
    causes = [f"{job['job']}: {job['code']} {job['cause']}" for job in _jobs(project, run)]
    said = [cause for cause in causes if not cause.endswith(":  ")]
    return UnreachableError(
        f"the jobs did not come to their end: {'; '.join(said) or 'they did not say why'}",
        subject=str(project.folder),
        next_action=f"read {project.talk(run)}",
    )


def _next_commands(project: Project) -> tuple[str, ...]:
    program = holdfast_command()
    declaration = shlex.quote(str(project.declaration))
    checkpoint = shlex.quote(str(project.killed_checkpoint))
    return (
        f"{program} show {checkpoint}",
        f"{program} history {KILLED_JOB} --file {declaration}",
        f"{program} init my-project",
    )
