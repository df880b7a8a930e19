"""holdfast schema."""

import importlib
import sys
from typing import Annotated

import typer

from holdfast.errors import UsageError
from holdfast.surfaces.cli.delivery import Output, report_error, write_json

DECLARATION = "declaration"
"""What is no output, and has a schema all the same: holdfast.yaml."""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    name: Annotated[
        str | None,
        typer.Argument(
            help="One output, such as show, or declaration, for holdfast.yaml; every output "
            "where it is left out."
        ),
    ] = None,
    output: Annotated[Output, typer.Option(help="A JSON Schema is JSON either way.")] = Output.json,
) -> None:
    """Print the JSON Schema of every JSON output, or of holdfast.yaml.

    For editors: holdfast schema declaration > holdfast.schema.json
    """
    if name == DECLARATION:
        model = importlib.import_module("holdfast.adapters.declarations.model")
        write_json(model.declaration_schema())
        return
    # pydantic costs 100 ms to import, which no other command need pay.
    contract = importlib.import_module("holdfast.surfaces.render.contract")
    schemas = contract.json_schemas()
    if name is None:
        write_json(schemas)
        return
    key = f"holdfast/{name}/1"
    if key not in schemas:
        known = ", ".join(sorted([*contract.MODELS, DECLARATION]))
        error = UsageError(f"no JSON output is called {name!r}", next_action=f"use one of {known}")
        sys.exit(report_error(error, output))
    write_json(schemas[key])
