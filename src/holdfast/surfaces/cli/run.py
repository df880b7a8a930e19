"""holdfast run."""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from holdfast.core.guards.guard_finding import GuardFinding
from holdfast.core.job import Declaration
from holdfast.core.run import RunResult
from holdfast.errors import NotInstalledError, UsageError
from holdfast.flows.run import StopSignal, run
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.run_json import run_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_UNITS = {"s": 1, "m": 60, "h": 3600}


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
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Run declared jobs, each with its own checkpoint, guarded and leased.

    Ctrl-C lets the batch that runs finish; a second Ctrl-C ends at once, without harm. Exit code 0:
    all ended well; 1: a job failed or was refused; 2: nothing could be started; 3: held by another.
    """
    stop = StopSignal(threading.Event())
    _listen(stop)

    def flow() -> tuple[RunResult, ...]:
        declaration = _load(file, profile)
        if duration is not None:
            timer = threading.Timer(_seconds(duration), stop.event.set)
            timer.daemon = True
            timer.start()
        return run(
            declaration,
            tuple(jobs or ()),
            _engine,
            stop,
            once=once,
            take_over=take_over,
            told=_tell,
            warned=_warn,
        )

    def as_text(results: tuple[RunResult, ...]) -> None:
        importlib.import_module("holdfast.surfaces.render.run_text").print_run(results)

    deliver(
        flow,
        name="run",
        output=output,
        target=lambda results: file,
        result=run_result,
        warnings=lambda results: (),
        text=as_text,
        is_bad=lambda results: any(result.is_bad for result in results),
    )


def _load(file: str, profile: str | None) -> Declaration:
    loading = importlib.import_module("holdfast.adapters.declarations.loading")
    environment = importlib.import_module("holdfast.adapters.process_environment")
    declaration: Declaration = loading.load_declaration(
        file, profile=profile, environ=environment.variables()
    )
    return declaration


def _engine(declaration: Declaration) -> Any:
    try:
        engine = importlib.import_module("holdfast.adapters.spark.engine")
    except ImportError as error:
        raise NotInstalledError(
            f"running jobs needs {error.name}", next_action="pip install 'holdfast[spark,sql]'"
        ) from error
    return engine.SparkEngine(declaration)


def _tell(job: str, progress: Mapping[str, Any]) -> None:
    rows = int(progress.get("numInputRows", 0))
    took = int(progress.get("batchDuration", 0))
    sys.stderr.write(f"{job}: batch {progress['batchId']}, {rows:,} rows, {took:,} ms\n")


def _warn(finding: GuardFinding) -> None:
    sys.stderr.write(f"! {finding.code} {finding.job}: {finding.message}\n")


def _listen(stop: StopSignal) -> None:
    """The first signal asks for an end, the second one takes it."""

    def hear(number: int, frame: Any) -> None:
        if stop.event.is_set():
            os._exit(130)
        sys.stderr.write("holdfast: stopping after the batch that runs (again to end at once)\n")
        stop.event.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, hear)


def _seconds(text: str) -> float:
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not number.isdigit():
        raise UsageError(f"{text!r} is no duration", next_action="write 30s, 10m or 2h")
    return float(int(number) * _UNITS[unit])
