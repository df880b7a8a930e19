"""holdfast init."""

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from holdfast.flows.init import TEMPLATES, Initiated, init
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.words import plain

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    folder: Annotated[str, typer.Argument(help="Folder to write to: empty, or not there yet.")] = (
        "."
    ),
    template: Annotated[
        str, typer.Option(help=f"What to begin with: {' or '.join(TEMPLATES)}.")
    ] = "sensors",
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Write a small project that runs: a declaration, one file of transforms, a test.

    Overwrites nothing: a folder that is not empty is refused. Exit code 0: written; 2: not.
    """

    def as_text(done: Initiated) -> None:
        names = "".join(f"  {name}\n" for name in done.files)
        sys.stdout.write(
            f"Wrote {plain(done.folder)}:\n{names}\nnext: {plain(done.next_command)}\n"
        )

    deliver(
        lambda: init(folder, template=template),
        name="init",
        output=output,
        target=lambda done: done.folder,
        result=asdict,
        warnings=lambda done: (),
        text=as_text,
    )
