"""holdfast judge."""

import importlib
import json
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from holdfast.adapters.evidence_file import is_evidence_file, read_evidence
from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.page_file import write_page
from holdfast.core.evidence.around import Intent
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.errors import UsageError
from holdfast.flows.evidence import Asked, take_evidence
from holdfast.flows.judge import Judged, judge
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.cli.look_options import (
    Against,
    DeclarationFile,
    Profile,
    Sinks,
    Sources,
    StartingSpark,
    Stateless,
    Verify,
)
from holdfast.surfaces.render.judge.answer import judge_result
from holdfast.surfaces.render.judge.ci import ci_lines
from holdfast.surfaces.render.judge.sarif import sarif_log

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class GoalName(StrEnum):
    """What is to be done."""

    resume = "resume"
    replay = "replay"
    backfill = "backfill"
    reset = "reset"


class Fate(StrEnum):
    """What becomes of the output at a reset."""

    new = "new"
    cleared = "cleared"
    kept = "kept"


@app.command()
def command(
    target: Annotated[
        str, typer.Argument(help="A job, a checkpoint by path or URL, or a file of evidence.")
    ],
    goal: Annotated[
        GoalName | None, typer.Option(help="What is to be done; a line for each by default.")
    ] = None,
    from_batch: Annotated[
        int | None, typer.Option(min=0, help="For replay: the first batch to do again.")
    ] = None,
    with_output: Annotated[
        Fate | None, typer.Option(help="For reset: what becomes of the output.")
    ] = None,
    sink: Sinks = None,
    source: Sources = None,
    against: Against = None,
    stateless: Stateless = False,
    spark: StartingSpark = None,
    verify: Verify = False,
    file: DeclarationFile = "holdfast.yaml",
    profile: Profile = None,
    ci: Annotated[bool, typer.Option("--ci", help="One line for each finding.")] = False,
    sarif: Annotated[
        str | None, typer.Option(help="Also write the findings to this file, as SARIF 2.1.0.")
    ] = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Say whether a restart is safe, for which goal, and how we know.

    Reads only. Spark is started for --against alone, in a process of its own that runs no query and
    knows no checkpoint. Exit code 0: safe; 1: unsafe; 4: not known; 2: nothing could be said.
    Without --goal the exit code is that of resume.
    """
    asked = Asked(
        target=target,
        sinks=tuple(sink or ()),
        sources=tuple(source or ()),
        verify=verify,
        file=file,
        profile=profile,
        against=against,
        stateless=stateless,
        spark=spark,
    )
    intent = Intent(from_batch=from_batch, output=with_output.value if with_output else None)
    deliver(
        lambda: _judged(asked, intent, goal.value if goal else None, sarif),
        name="judge",
        output=output,
        target=lambda judged: judged.evidence.location,
        result=judge_result,
        warnings=lambda judged: (),
        text=_print_lines if ci else _print_page,
        code=lambda judged: judged.exit_code,
    )


def _judged(asked: Asked, intent: Intent, goal: Goal | None, sarif: str | None) -> Judged:
    judged = judge(replace(_evidence(asked), intent=intent), goal)
    if sarif is not None:
        write_page(Path(sarif), json.dumps(sarif_log(judged), indent=1) + "\n")
    return judged


def _print_lines(judged: Judged) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in ci_lines(judged)))


def _print_page(judged: Judged) -> None:
    # rich costs 100 ms to import, which JSON need not pay.
    importlib.import_module("holdfast.surfaces.render.judge.text").print_judged(judged)


def _evidence(asked: Asked) -> Evidence:
    if not is_evidence_file(asked.target):
        return take_evidence(asked, ThisMachine())
    if asked.against or asked.spark:
        raise UsageError(
            "saved evidence is judged as it was taken",
            subject=asked.target,
            next_action="give --against and --spark to `holdfast evidence`",
        )
    return read_evidence(asked.target)
