"""holdfast explain."""

import importlib
import sys
from typing import Annotated

import typer

from holdfast.core.secret_text import without_password
from holdfast.flows.explain import Explained, explain, looks_like_path, what_is
from holdfast.surfaces.cli.delivery import EXIT_DONE, Output, deliver
from holdfast.surfaces.render.explain.answer import explain_result
from holdfast.surfaces.render.words import plain

EXIT_UNKNOWN = 4

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="TEXT|FILE|-|CODE",
            help="A message in quotes, a log, - for standard input, or a name such as HF128.",
        ),
    ],
    checkpoint: Annotated[
        str | None, typer.Option(help="Look there, and say whether it agrees.")
    ] = None,
    sink: Annotated[
        str | None,
        typer.Option(
            help="What the query writes to: delta, delta-txn, file, iceberg, kafka, jdbc, foreach; "
            "found in the text where it can be."
        ),
    ] = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Say what an error means, and what not to do about it: a message, a log, a code.

    Says the cause, what to look at, whether trying again can help, and what to type next. Knows
    errors of Spark, Delta, Kafka and our own, in a message, a stack trace or a whole log. Reads
    only. Exit code 0: recognised; 4: not recognised; 2: could not be read.
    """
    taken = what_is(what)
    if taken == "file":
        sys.stderr.write(f"holdfast: reading the file {plain(without_password(what))}\n")
    elif taken == "text" and looks_like_path(what):
        sys.stderr.write("holdfast: no file has that name; taken as text\n")

    def as_text(explained: Explained) -> None:
        # rich costs 100 ms to import, which JSON need not pay.
        importlib.import_module("holdfast.surfaces.render.explain.text").print_explained(
            explained, typed=checkpoint
        )

    deliver(
        lambda: explain(what, checkpoint=checkpoint, sink=sink),
        name="explain",
        output=output,
        target=lambda explained: explained.target,
        result=lambda explained: explain_result(explained, typed=checkpoint),
        warnings=lambda explained: (),
        text=as_text,
        code=lambda explained: EXIT_DONE if explained.is_recognised else EXIT_UNKNOWN,
    )
