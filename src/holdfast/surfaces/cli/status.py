"""holdfast status."""

import importlib
import sys
from typing import Annotated

import typer

from holdfast.adapters.clock import now_ms
from holdfast.adapters.machine import ThisMachine
from holdfast.errors import HoldfastError, UsageError
from holdfast.flows.status import Status, status
from holdfast.flows.targets import find_targets
from holdfast.surfaces.cli.delivery import Output, deliver, report_error
from holdfast.surfaces.render.status_json import status_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    job: Annotated[
        str | None, typer.Argument(help="A job, or a checkpoint by path or URL; all by default.")
    ] = None,
    file: Annotated[str, typer.Option(help="The declaration.")] = "holdfast.yaml",
    profile: Annotated[
        str | None, typer.Option(help="Which profile; its default by default.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again every 2 seconds, until Ctrl-C.")
    ] = False,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Say how declared jobs are doing: who runs them, the last batch, how they ended.

    From Holdfast's records and the checkpoints; reads only, and never starts Spark. Exit code 0:
    fine; 1: a job failed, was refused or fenced, or a record is damaged; 2: nothing could be said.
    """

    def look() -> Status:
        location, targets = find_targets(job, file=file, profile=profile)
        return status(location, targets, ThisMachine())

    # rich costs 100 ms to import, which JSON need not pay.
    text_module = "holdfast.surfaces.render.status_text"
    if watch:
        try:
            if output is Output.json:
                raise UsageError(
                    "--watch draws for people", next_action="ask again without it for each answer"
                )
            look()
            importlib.import_module(text_module).watch(look, now_ms)
        except HoldfastError as error:
            sys.exit(report_error(error, output))
        return
    deliver(
        look,
        name="status",
        output=output,
        target=lambda found: found.location,
        result=status_result,
        warnings=lambda found: found.findings,
        text=lambda found: importlib.import_module(text_module).print_status(found, now_ms()),
        is_bad=lambda found: found.is_bad,
    )
