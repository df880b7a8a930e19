"""holdfast fleet."""

import importlib
import sys
from typing import Annotated

import typer

from holdfast.adapters.clock import now_ms
from holdfast.flows.fleet import Fleet, fleet
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.fleet_json import fleet_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_LINE_EVERY_MS = 3_000


class _Talk:
    """Progress on standard error: in place on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self._said_ms = now_ms()

    def __call__(self, done: int, known: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r  looked at {done:,} of {known:,} folders\x1b[K")
            if done == known:
                sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        elif now_ms() - self._said_ms >= _LINE_EVERY_MS:
            self._said_ms = now_ms()
            sys.stderr.write(f"holdfast: looked at {done:,} of {known:,} folders\n")


@app.command()
def command(
    base: Annotated[str, typer.Argument(help="Folder or URL above the checkpoints.")],
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """List every checkpoint below a folder or bucket, and what is odd about each.

    Marks query ids that occur twice (a copied checkpoint), checkpoints inside others, and folders
    that look like a checkpoint and are not whole. Reads only. Exit code 0: fine; 1: something is
    wrong with one of them; 2: nothing could be said.
    """

    def as_text(found: Fleet) -> None:
        importlib.import_module("holdfast.surfaces.render.fleet_text").print_fleet(found, now_ms())

    deliver(
        lambda: fleet(base, _Talk()),
        name="fleet",
        output=output,
        target=lambda found: found.location,
        result=fleet_result,
        warnings=lambda found: found.findings,
        text=as_text,
    )
