"""holdfast run."""

import importlib
import os
import re
import signal
import sys
import threading
from typing import Annotated, Any

import typer

from holdfast.core.job import Declaration
from holdfast.core.running.run import RunResult
from holdfast.errors import UsageError
from holdfast.flows.declaration import load
from holdfast.flows.operations.filling import as_backfill
from holdfast.flows.run import exit_code, run
from holdfast.flows.supervise import StopSignal
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.run.answer import run_result
from holdfast.surfaces.render.run.lines import RunLines

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"(?P<number>[0-9]{1,9})(?P<unit>[smhd])")


@app.command()
def command(
    jobs: Annotated[list[str] | None, typer.Argument(help="Jobs to run; all by default.")] = None,
    file: Annotated[str, typer.Option(help="The declaration.")] = "holdfast.yaml",
    profile: Annotated[
        str | None, typer.Option(help="Which profile; its default by default.")
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Process what is there, in order, and end.")
    ] = False,
    duration: Annotated[
        str | None, typer.Option("--for", help="End after this long: 30s, 10m, 2h.")
    ] = None,
    take_over: Annotated[
        bool,
        typer.Option("--take-over", help="Take the lease from a holder that is surely dead."),
    ] = False,
    backfill: Annotated[
        str | None, typer.Option(help="Run this backfill of the job, as its plan named it.")
    ] = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Run declared jobs, each with its own checkpoint, guarded and leased.

    Ctrl-C lets the batch that runs finish; a second Ctrl-C ends at once, without harm. A query that
    failed from a cause that can pass is started again; any other stays down, and the others go on.
    Exit code 0: all ended well; 1: a job failed or was refused; 2: it could not be started; 3: held
    by another start, or taken over by one.
    """
    stop = StopSignal()
    _listen(stop)
    shown = _teller()

    def flow() -> tuple[RunResult, ...]:
        seconds = None if duration is None else _seconds(duration)
        declaration, names = _chosen(load(file, profile), tuple(jobs or ()), backfill)
        if seconds is not None:
            timer = threading.Timer(seconds, stop.event.set)
            timer.daemon = True
            timer.start()
        with shown:
            drains = once or backfill is not None
            return run(declaration, names, stop, once=drains, take_over=take_over, tell=shown)

    def as_text(results: tuple[RunResult, ...]) -> None:
        importlib.import_module("holdfast.surfaces.render.run.text").print_run(results)

    deliver(
        flow,
        name="run",
        output=output,
        target=lambda results: file,
        result=run_result,
        warnings=lambda results: (),
        text=as_text,
        code=exit_code,
    )


def _chosen(
    declaration: Declaration, names: tuple[str, ...], backfill: str | None
) -> tuple[Declaration, tuple[str, ...]]:
    if backfill is None:
        return declaration, names
    return as_backfill(declaration, names, backfill), ()


def _teller() -> Any:
    """A live table on a terminal, lines anywhere else."""
    if sys.stderr.isatty():
        return importlib.import_module("holdfast.surfaces.render.run.table").RunTable()
    return RunLines()


def _listen(stop: StopSignal) -> None:
    """The first signal asks for an end, the second one takes it."""

    def hear(number: int, frame: Any) -> None:
        if stop.asked():
            os._exit(130)
        sys.stderr.write("holdfast: stopping after the batch that runs (again to end at once)\n")
        stop.event.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, hear)


def _seconds(text: str) -> float:
    match = _DURATION.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is no duration", next_action="write 30s, 10m or 2h")
    return float(int(match["number"]) * _UNITS[match["unit"]])
