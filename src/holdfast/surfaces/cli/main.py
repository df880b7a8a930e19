"""The entry point: which command, and what becomes of an error that nobody expected."""

import importlib
import os
import sys
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperGroup

from holdfast import __version__
from holdfast.errors import InternalError
from holdfast.surfaces.cli.delivery import Output, report_error
from holdfast.surfaces.cli.plain_values import take_plain_values

COMMANDS: dict[str, str] = {
    "demo": "Kill a real pipeline in a batch, start it again, and count what is lost.",
    "run": "Run declared jobs, each with its own checkpoint, guarded and leased.",
    "init": "Write a small project that runs: a declaration, one file of transforms, a test.",
    "status": "Say how declared jobs are doing: who runs them, the last batch, how they ended.",
    "history": "List the runs of a job and its batches, newest first.",
    "doctor": "Say what would keep jobs from running here, each with the line that mends it.",
    "audit": "Kill a job at every durable step of its batches, and compare what it writes.",
    "show": "Explain a checkpoint: what it holds, what is in flight, what a restart will do.",
    "judge": "Say whether a restart is safe, for which goal, and how we know.",
    "evidence": "Save everything that decides about a restart, to be judged later or elsewhere.",
    "plan": "Write down what an operation will do, for `holdfast apply` to do exactly that.",
    "apply": "Carry out a plan exactly as it was written, or go on with one that was killed.",
    "undo": "Go back to before an operation, byte for byte.",
    "rehearse": "Run a job for real on a twin of its checkpoint and a shadow of its sink.",
    "fleet": "List every checkpoint below a folder or bucket, and what is odd about each.",
    "diff": "Put two checkpoints side by side: same lineage or not, and where they part.",
    "lag": "Say how far each source is ahead, and how long it still has what is unread.",
    "explain": "Say what an error means, and what not to do about it: a message, a log, a code.",
    "schema": "Print the JSON Schema of every JSON output, or of holdfast.yaml.",
}
"""Command to its one line of help; the module is loaded only when the command is used."""

EXIT_FAILED = 2
EXIT_INTERRUPTED = 130


class LazyGroup(TyperGroup):
    """Commands that are imported when they are called."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options of `holdfast` itself."""
        parameters = super().get_params(ctx)
        take_plain_values(parameters)
        return list(parameters)

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order in which people meet them."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list in the help, for which no command need be loaded."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"holdfast.surfaces.cli.{cmd_name}")
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        command.short_help = COMMANDS[cmd_name]
        take_plain_values(command.get_params(ctx))
        return command


app = typer.Typer(cls=LazyGroup, add_completion=False, rich_markup_mode=None, no_args_is_help=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"holdfast {__version__}\n")
        raise typer.Exit


@app.callback()
def holdfast(
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an internal error."),
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Holdfast makes restarts of Spark Structured Streaming safe.

    It reads any checkpoint without starting Spark, and explains it.
    """


def main() -> None:
    """Run the command line."""
    # Names of files may hold bytes that are no UTF-8; printing them must not fail.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        app()
    except KeyboardInterrupt:
        sys.stderr.write("holdfast: interrupted\n")
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader went away (`| head`); nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback at 3 a.m.
        if "--debug" in sys.argv:
            importlib.import_module("traceback").print_exc()  # seldom needed, slow to import
        ours = InternalError(
            f"internal error: {type(error).__name__}: {error}",
            next_action="run it again as `holdfast --debug …` and report what it prints",
        )
        sys.exit(report_error(ours, _wanted_output(sys.argv)))


def _wanted_output(arguments: list[str]) -> Output:
    """What --output asked for, read by hand: the error may have come before it was parsed."""
    spelled = {"--output=json"} & set(arguments)
    follows = any(pair == ("--output", "json") for pair in pairwise(arguments))
    return Output.json if spelled or follows else Output.text
