"""holdfast lag."""

import importlib
from typing import Annotated

import typer

from holdfast.flows.sources.lag import Lag, lag
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.lag.answer import lag_result

EXIT_UNKNOWN = 4

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    job: Annotated[str, typer.Argument(help="A job, or a checkpoint by path or URL.")],
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="Where a source is, for a checkpoint that no declaration names: "
            "kafka:HOST:PORT/TOPIC, delta:PATH, files:PATH or iceberg:PATH. May be given again."
        ),
    ] = None,
    mirror_to: Annotated[
        str | None,
        typer.Option(help="Also write the stored offsets as those of this Kafka consumer group."),
    ] = None,
    file: Annotated[str, typer.Option(help="The declaration.")] = "holdfast.yaml",
    profile: Annotated[
        str | None, typer.Option(help="Which profile; its default by default.")
    ] = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Say how far each source is ahead, and how long it still has what is unread.

    Asks the live sources; reads only, unless --mirror-to is given, and never starts Spark. Exit
    code 0: all that is unread is there; 1: some of it is gone, or a source is another one than
    before; 2: nothing could be said; 4: a source could not be asked.
    """

    def as_text(found: Lag) -> None:
        importlib.import_module("holdfast.surfaces.render.lag.text").print_lag(found)

    deliver(
        lambda: lag(
            job, file=file, profile=profile, sources=tuple(source or ()), mirror_to=mirror_to
        ),
        name="lag",
        output=output,
        target=lambda found: found.checkpoint,
        result=lag_result,
        warnings=lambda found: found.findings,
        text=as_text,
        code=lambda found: 0 if found.is_known else EXIT_UNKNOWN,
    )
