"""holdfast rehearse."""

import importlib
from typing import Annotated

import typer

from holdfast.adapters.surroundings.process_environment import variables
from holdfast.audit.rehearse import Rehearsed, rehearse
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.cli.look_options import DeclarationFile, Profile
from holdfast.surfaces.render.rehearse.answer import rehearse_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    job: Annotated[str, typer.Argument(help="The declared job.")],
    batches: Annotated[int, typer.Option(min=1, help="How many batches are run at most.")] = 3,
    file: DeclarationFile = "holdfast.yaml",
    profile: Profile = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Run a job for real on a twin of its checkpoint and a shadow of its sink.

    Production is read and never written, also while it runs: every file of its checkpoint is
    compared, before and after. Exit code 0: it starts, and production is untouched; 1: it fails, or
    production changed; 2: it could not be tried.
    """

    def as_text(done: Rehearsed) -> None:
        importlib.import_module("holdfast.surfaces.render.rehearse.text").print_rehearsed(done)

    deliver(
        lambda: rehearse(job, file=file, profile=profile, batches=batches, environ=variables()),
        name="rehearse",
        output=output,
        target=lambda done: done.location,
        result=rehearse_result,
        warnings=lambda done: (),
        text=as_text,
        is_bad=lambda done: not done.is_good,
    )
