"""holdfast history."""

import importlib
from typing import Annotated

import typer

from holdfast.adapters.clock import now_ms
from holdfast.adapters.machine import ThisMachine
from holdfast.flows.history import JobHistory, history
from holdfast.flows.targets import find_targets
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.history_json import history_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_LIMIT_MAX = 10_000


@app.command()
def command(
    job: Annotated[str, typer.Argument(help="A job, or a checkpoint by path or URL.")],
    limit: Annotated[
        int, typer.Option(min=1, max=_LIMIT_MAX, help="Runs and batches at most.")
    ] = 20,
    file: Annotated[str, typer.Option(help="The declaration.")] = "holdfast.yaml",
    profile: Annotated[
        str | None, typer.Option(help="Which profile; its default by default.")
    ] = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """List the runs of a job and its batches, newest first.

    Says when and where they ran and how they ended.

    From Holdfast's records and the checkpoint; reads only, and never starts Spark. Exit code 0:
    done; 1: a record is damaged; 2: nothing could be said.
    """

    def look() -> JobHistory:
        _, [target] = find_targets(job, file=file, profile=profile)
        return history(target, ThisMachine(), limit=limit)

    def as_text(found: JobHistory) -> None:
        render = importlib.import_module("holdfast.surfaces.render.history_text")
        render.print_history(found, now_ms())

    deliver(
        look,
        name="history",
        output=output,
        target=lambda found: found.checkpoint,
        result=history_result,
        warnings=lambda found: found.findings,
        text=as_text,
    )
