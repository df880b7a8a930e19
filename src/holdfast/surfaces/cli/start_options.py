"""Options that say what is to be started, and on which Spark; `judge` and `evidence` share them."""

from enum import StrEnum
from typing import Annotated

import typer

Against = Annotated[
    str | None,
    typer.Option(help="What is to start: module:function or a declaration; only analysed."),
]
StartingSpark = Annotated[
    str | None, typer.Option(help="The Spark that will start it; the installed one by default.")
]

Sinks = Annotated[
    list[str] | None,
    typer.Option(help="Where it writes, such as delta:PATH or postgres:URL; may be repeated."),
]

Sources = Annotated[
    list[str] | None,
    typer.Option(help="Where it reads, such as kafka:BROKERS/TOPIC; in the order of the plan."),
]


class Fate(StrEnum):
    """What becomes of the output at a reset."""

    new = "new"
    cleared = "cleared"
    kept = "kept"


FromBatch = Annotated[
    int | None, typer.Option(min=0, help="For replay: the first batch to do again.")
]

WithOutput = Annotated[Fate | None, typer.Option(help="For reset: what becomes of the output.")]
