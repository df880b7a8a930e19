"""holdfast apply."""

import importlib
import sys
from typing import Annotated

import typer

from holdfast.adapters.plan_file import read_plan
from holdfast.core.plans.ports import Direction
from holdfast.flows.operations.carrying import Carried, apply_plan
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.plan.answer import carried_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    plan: Annotated[str, typer.Argument(help="The file that `holdfast plan … -o` wrote.")],
    reason: Annotated[str, typer.Option(help="Why; the journal keeps it.")] = "",
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Carry out a plan exactly as it was written, or go on with one that was killed.

    Exit code 0: carried out; 3: the plan is stale, or another process holds the checkpoint;
    1: refused; 2: it could not be done, and `holdfast undo` goes back.
    """

    def carried() -> Carried:
        read = read_plan(plan)

        def told(step: int, direction: Direction) -> None:
            sys.stderr.write(f"  {step} of {len(read.steps)}  {read.steps[step - 1].says}\n")

        return apply_plan(read, reason=reason, told=told)

    deliver(
        carried,
        name="apply",
        output=output,
        target=lambda done: done.plan.target,
        result=carried_result,
        warnings=lambda done: (),
        text=lambda done: importlib.import_module(
            "holdfast.surfaces.render.plan.text"
        ).print_carried(done),
    )
