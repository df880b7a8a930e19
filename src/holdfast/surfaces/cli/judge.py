"""holdfast judge."""

import importlib
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from holdfast.adapters.evidence_file import is_evidence_file, read_evidence
from holdfast.adapters.machine import ThisMachine
from holdfast.core.evidence.around import Intent
from holdfast.core.goal import Goal
from holdfast.flows.evidence import Asked, take_evidence
from holdfast.flows.judge import Judged, judge
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.judge.answer import judge_result

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
    sink: Annotated[
        list[str] | None,
        typer.Option(help="Where it writes, such as delta:PATH or postgres:URL; may be repeated."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(help="Where it reads, such as kafka:BROKERS/TOPIC; in the order of the plan."),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every file and hold it against its checksum.")
    ] = False,
    file: Annotated[str, typer.Option(help="The declaration.")] = "holdfast.yaml",
    profile: Annotated[
        str | None, typer.Option(help="Which profile; its default by default.")
    ] = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Say whether a restart is safe, for which goal, and how we know.

    Reads only, and never starts Spark. Exit code 0: safe; 1: unsafe; 4: not known; 2: nothing could
    be said. Without --goal the exit code is that of resume.
    """
    asked = Asked(
        target=target,
        sinks=tuple(sink or ()),
        sources=tuple(source or ()),
        verify=verify,
        file=file,
        profile=profile,
    )
    wanted: Goal | None = goal.value if goal else None

    def answer() -> Judged:
        saved = is_evidence_file(target)
        taken = read_evidence(target) if saved else take_evidence(asked, ThisMachine())
        intent = Intent(from_batch=from_batch, output=with_output.value if with_output else None)
        return judge(replace(taken, intent=intent), wanted)

    _deliver(answer, output)


def _deliver(answer: Callable[[], Judged], output: Output) -> None:
    def as_text(judged: Judged) -> None:
        # rich costs 100 ms to import, which JSON need not pay.
        importlib.import_module("holdfast.surfaces.render.judge.text").print_judged(judged)

    deliver(
        answer,
        name="judge",
        output=output,
        target=lambda judged: judged.evidence.location,
        result=judge_result,
        warnings=lambda judged: (),
        text=as_text,
        code=lambda judged: judged.exit_code,
    )
