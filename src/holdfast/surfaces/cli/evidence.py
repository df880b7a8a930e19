"""holdfast evidence."""

import sys
from typing import Annotated

import typer

from holdfast.adapters.evidence_file import write_evidence
from holdfast.adapters.machine import ThisMachine
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.pack import encode
from holdfast.errors import HoldfastError
from holdfast.flows.evidence import Asked, take_evidence
from holdfast.surfaces.cli.delivery import Output, report_error, write_json
from holdfast.surfaces.cli.start_options import Against, StartingSpark
from holdfast.surfaces.render.envelope import envelope

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    target: Annotated[str, typer.Argument(help="A job, or a checkpoint by path or URL.")],
    to: Annotated[
        str | None, typer.Option("-o", "--to", help="The file to write; standard output if none.")
    ] = None,
    sink: Annotated[
        list[str] | None,
        typer.Option(help="Where it writes, such as delta:PATH or postgres:URL; may be repeated."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(help="Where it reads, such as kafka:BROKERS/TOPIC; in the order of the plan."),
    ] = None,
    against: Against = None,
    spark: StartingSpark = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every file and hold it against its checksum.")
    ] = False,
    file: Annotated[str, typer.Option(help="The declaration.")] = "holdfast.yaml",
    profile: Annotated[
        str | None, typer.Option(help="Which profile; its default by default.")
    ] = None,
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
        spark=spark,
    )
    try:
        taken = take_evidence(asked, ThisMachine())
        answer = envelope("evidence", taken.location, encode(taken))
        if to is None:
            write_json(answer)
        else:
            write_evidence(to, answer)
            sys.stderr.write(_told(taken, to))
    except HoldfastError as error:
        sys.exit(report_error(error, Output.text))


def _told(evidence: Evidence, to: str) -> str:
    looked = len(evidence.sinks) + len(evidence.sources)
    return (
        f"holdfast: evidence of {evidence.location} is in {to}; {looked} sinks and sources asked\n"
    )
