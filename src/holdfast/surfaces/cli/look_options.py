"""Options that say what is looked at beside a checkpoint; `judge` and `evidence` share them."""

from typing import Annotated

import typer

Sinks = Annotated[
    list[str] | None,
    typer.Option(help="Where it writes, such as delta:PATH or postgres:URL; may be repeated."),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(help="Where it reads, such as kafka:BROKERS/TOPIC; in the order of the plan."),
]
Against = Annotated[
    str | None,
    typer.Option(help="What is to start: module:function or a declaration; only analysed."),
]
Stateless = Annotated[
    bool, typer.Option("--stateless", help="The query keeps no state: none can be missing.")
]
StartingSpark = Annotated[
    str | None, typer.Option(help="The Spark that will start it; the installed one by default.")
]
Verify = Annotated[
    bool, typer.Option("--verify", help="Read every file and hold it against its checksum.")
]
DeclarationFile = Annotated[str, typer.Option(help="The declaration.")]
Profile = Annotated[str | None, typer.Option(help="Which profile; its default by default.")]
