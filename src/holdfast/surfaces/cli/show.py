"""holdfast show."""

import importlib
from typing import Annotated

import typer

from holdfast.adapters.clock import now_ms
from holdfast.flows.show import Shown, show
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.show_json import show_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    checkpoint: Annotated[str, typer.Argument(help="Folder or URL of the checkpoint.")],
    batch: Annotated[
        int | None, typer.Option(min=0, help="Explain this batch: from where to where it reads.")
    ] = None,
    state: Annotated[bool, typer.Option("--state", help="Add the schemas of the state.")] = False,
    files: Annotated[bool, typer.Option("--files", help="Add files and checks by part.")] = False,
    conf: Annotated[bool, typer.Option("--conf", help="Add every pinned setting.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every file and hold it against its checksum.")
    ] = False,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Explain a checkpoint: what it holds, what is in flight, what a restart will do.

    Reads only, and never starts Spark. Exit code 0: fine; 1: something is wrong with the
    checkpoint; 2: nothing could be said.
    """

    def as_text(shown: Shown) -> None:
        # rich costs 100 ms to import, which JSON need not pay.
        render = importlib.import_module("holdfast.surfaces.render.show_text")
        render.ShowText(typed=checkpoint, now_ms=now_ms(), conf=conf, files=files).print(shown)

    deliver(
        lambda: show(checkpoint, batch=batch, verify=verify, state=state),
        name="show",
        output=output,
        target=lambda shown: shown.checkpoint.location,
        result=show_result,
        warnings=lambda shown: shown.checkpoint.warnings,
        text=as_text,
    )
