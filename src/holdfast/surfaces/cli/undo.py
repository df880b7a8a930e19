"""holdfast undo."""

import importlib
from typing import Annotated

import typer

from holdfast.flows.operations.carrying import Carried, undo_operation
from holdfast.flows.targets import find_targets
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.cli.look_options import DeclarationFile, Profile
from holdfast.surfaces.render.plan.answer import carried_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    operation: Annotated[str, typer.Argument(help="The operation, as `apply` named it.")],
    checkpoint: Annotated[
        str, typer.Option(help="The job or the checkpoint that it was carried out on.")
    ],
    again: Annotated[
        bool, typer.Option("--again", help="Carry out once more what was undone.")
    ] = False,
    reason: Annotated[str, typer.Option(help="Why; the journal keeps it.")] = "",
    file: DeclarationFile = "holdfast.yaml",
    profile: Profile = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Go back to before an operation, byte for byte.

    Works on an operation that was killed half-way, too. One that is undone already stays so. Exit
    code 0: undone; 3: something came after it, or another process holds the checkpoint; 1: refused;
    2: it could not be done.
    """

    def carried() -> Carried:
        _, (target,) = find_targets(checkpoint, file=file, profile=profile)
        return undo_operation(target.checkpoint, operation, reason=reason, again=again)

    deliver(
        carried,
        name="undo",
        output=output,
        target=lambda done: done.plan.target,
        result=carried_result,
        warnings=lambda done: (),
        text=lambda done: importlib.import_module(
            "holdfast.surfaces.render.plan.text"
        ).print_carried(done),
    )
