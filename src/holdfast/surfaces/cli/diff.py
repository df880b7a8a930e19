"""holdfast diff."""

import importlib
from typing import Annotated

import typer

from holdfast.flows.diff import Diffed, diff
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.diff_json import diff_findings, diff_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    left: Annotated[str, typer.Argument(help="Folder or URL of a checkpoint.")],
    right: Annotated[str, typer.Argument(help="Folder or URL of another.")],
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Put two checkpoints side by side: same lineage or not, and where they part.

    Compares positions, pinned configuration, state operators and schemas. Reads only. Exit code
    0: they are equal; 1: they differ or one is damaged; 2: nothing could be said.
    """

    def as_text(diffed: Diffed) -> None:
        importlib.import_module("holdfast.surfaces.render.diff_text").print_diff(diffed)

    deliver(
        lambda: diff(left, right),
        name="diff",
        output=output,
        target=lambda diffed: diffed.left.location,
        result=diff_result,
        warnings=diff_findings,
        text=as_text,
        is_bad=lambda diffed: not diffed.difference.is_empty,
    )
