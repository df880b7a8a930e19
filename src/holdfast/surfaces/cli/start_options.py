"""Options that say what is to be started, and on which Spark; `judge` and `evidence` share them."""

from typing import Annotated

import typer

Against = Annotated[
    str | None,
    typer.Option(help="What is to start: module:function or a declaration; only analysed."),
]
StartingSpark = Annotated[
    str | None, typer.Option(help="The Spark that will start it; the installed one by default.")
]
