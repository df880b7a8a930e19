"""holdfast demo."""

import importlib
import signal
from typing import Annotated, Any

import typer

from holdfast.adapters.surroundings.process_environment import variables
from holdfast.flows.demo.demonstrate import Demonstrated, demo
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.demo.answer import demo_result
from holdfast.surfaces.render.demo.lines import tell_demo

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    folder: Annotated[
        str | None,
        typer.Option(help="Where to: empty, or not there yet; in the cache by default."),
    ] = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Kill a real pipeline in a batch, start it again, and count what is lost.

    Writes a project of three jobs with its data, runs it, kills it with SIGKILL, shows what is
    left, runs it again, and compares with one batch query over all the input. A minute or two; the
    folder is kept. Exit code 0: nothing lost, duplicated or changed; 1: not so, or no kill hit a
    batch; 2: could not be run.
    """
    # Spark runs in a process group of its own: it must be ended before we are.
    signal.signal(signal.SIGTERM, _interrupt)

    def as_text(done: Demonstrated) -> None:
        importlib.import_module("holdfast.surfaces.render.demo.text").print_demo(done)

    deliver(
        lambda: demo(folder, environ=variables(), tell=tell_demo),
        name="demo",
        output=output,
        target=lambda done: done.folder,
        result=demo_result,
        warnings=lambda done: (),
        text=as_text,
        is_bad=lambda done: not done.is_proven,
    )


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt
