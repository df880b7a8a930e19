"""holdfast evidence."""

import importlib
import sys
from typing import Annotated

import typer

from holdfast.adapters.evidence_file import write_evidence
from holdfast.adapters.machine import ThisMachine
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.pack import encode
from holdfast.errors import HoldfastError
from holdfast.flows.evidence import Asked, take_evidence
from holdfast.surfaces.cli.delivery import Output, deliver, report_error
from holdfast.surfaces.cli.look_options import (
    Against,
    DeclarationFile,
    Profile,
    Sinks,
    Sources,
    StartingSpark,
    Stateless,
    Verify,
)
from holdfast.surfaces.render.envelope import envelope

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    target: Annotated[str, typer.Argument(help="A job, or a checkpoint by path or URL.")],
    to: Annotated[
        str | None, typer.Option("-o", "--to", help="Write it to this file, as JSON.")
    ] = None,
    sink: Sinks = None,
    source: Sources = None,
    against: Against = None,
    stateless: Stateless = False,
    spark: StartingSpark = None,
    verify: Verify = False,
    file: DeclarationFile = "holdfast.yaml",
    profile: Profile = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Save everything that decides about a restart, to be judged later or elsewhere.

    Reads only. Spark is started for --against alone, in a process of its own that runs no query and
    knows no checkpoint. Each fact is known with its origin, absent, or unreadable
    with the reason; secrets are left out. `holdfast judge FILE` judges what was saved.
    """
    asked = Asked(
        target=target,
        sinks=tuple(sink or ()),
        sources=tuple(source or ()),
        verify=verify,
        file=file,
        profile=profile,
        against=against,
        stateless=stateless,
        spark=spark,
    )
    if to is not None:
        _save(asked, to, output)
        return
    deliver(
        lambda: take_evidence(asked, ThisMachine()),
        name="evidence",
        output=output,
        target=lambda taken: taken.location,
        result=encode,
        warnings=lambda taken: (),
        text=_as_text,
    )


def _as_text(taken: Evidence) -> None:
    # rich costs 100 ms to import, which JSON need not pay.
    importlib.import_module("holdfast.surfaces.render.judge.facts").print_facts(encode(taken))


def _save(asked: Asked, to: str, output: Output) -> None:
    try:
        taken = take_evidence(asked, ThisMachine())
        write_evidence(to, envelope("evidence", taken.location, encode(taken)))
    except HoldfastError as error:
        sys.exit(report_error(error, output))
    sys.stderr.write(f"holdfast: wrote {to}; next: holdfast judge {to}\n")
