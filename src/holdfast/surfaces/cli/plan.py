"""holdfast plan."""

import importlib
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from holdfast.adapters.plan_file import plan_id, write_plan
from holdfast.core.plans.plan import Plan
from holdfast.core.plans.span import PartitionOffset
from holdfast.flows.evidence import Asked
from holdfast.flows.operations.backfill import Range, plan_backfill
from holdfast.flows.operations.replay import plan_replay
from holdfast.flows.operations.resume import plan_resume
from holdfast.flows.operations.retry import plan_retry
from holdfast.flows.operations.viewing import View, view
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.cli.look_options import DeclarationFile, Profile, Sinks, Sources
from holdfast.surfaces.render.plan.answer import plan_result

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

Target = Annotated[str, typer.Argument(help="A job, or a checkpoint by path or URL.")]
File = Annotated[str | None, typer.Option("-o", help="Write the plan to this file.")]
Accept = Annotated[
    list[str] | None, typer.Option(help="A hazard that you accept, by its code; may be repeated.")
]
Answer = Annotated[Output, typer.Option(help="How to write the answer.")]


class Only(StrEnum):
    """What of a range is processed."""

    missing = "missing"
    all = "all"


@app.callback()
def plan() -> None:
    """Write down what an operation will do, for `holdfast apply` to do exactly that.

    Touches nothing. Exit code 0: planned; 1: refused, unsafe; 2: nothing could be planned.
    """


@app.command()
def replay(
    target: Target,
    to_batch: Annotated[int, typer.Option(min=0, help="The first batch that is done again.")],
    o: File = None,
    accept: Accept = None,
    sink: Sinks = None,
    source: Sources = None,
    file: DeclarationFile = "holdfast.yaml",
    profile: Profile = None,
    output: Answer = Output.text,
) -> None:
    """Process again from an earlier batch, with the output corrected to match."""
    asked = _asked(target, sink, source, file, profile)
    _deliver(lambda looked: plan_replay(looked, to_batch), asked, accept, o, output)


@app.command()
def retry(
    target: Target,
    o: File = None,
    accept: Accept = None,
    sink: Sinks = None,
    source: Sources = None,
    file: DeclarationFile = "holdfast.yaml",
    profile: Profile = None,
    output: Answer = Output.text,
) -> None:
    """Run the newest batch again, over the same input, under the same id."""
    _deliver(plan_retry, _asked(target, sink, source, file, profile), accept, o, output)


@app.command()
def resume(
    target: Target,
    o: File = None,
    accept: Accept = None,
    sink: Sinks = None,
    source: Sources = None,
    file: DeclarationFile = "holdfast.yaml",
    profile: Profile = None,
    output: Answer = Output.text,
) -> None:
    """Mend what keeps a checkpoint from starting: torn files, leftovers, a lost query id."""
    _deliver(plan_resume, _asked(target, sink, source, file, profile), accept, o, output)


@app.command()
def backfill(
    target: Annotated[str, typer.Argument(help="The declared job.")],
    from_offset: Annotated[
        list[str] | None, typer.Option(help="Kafka: TOPIC:PARTITION:OFFSET, the first record.")
    ] = None,
    to_offset: Annotated[
        list[str] | None, typer.Option(help="Kafka: TOPIC:PARTITION:OFFSET, one after the last.")
    ] = None,
    from_version: Annotated[int | None, typer.Option(help="Delta: the first version.")] = None,
    to_version: Annotated[int | None, typer.Option(help="Delta: the last version.")] = None,
    input_file: Annotated[
        list[str] | None, typer.Option("--input", help="Files: one of them; may be repeated.")
    ] = None,
    only: Annotated[
        Only, typer.Option(help="Whether input that the query has read is read again.")
    ] = Only.missing,
    o: File = None,
    accept: Accept = None,
    sink: Sinks = None,
    source: Sources = None,
    file: DeclarationFile = "holdfast.yaml",
    profile: Profile = None,
    output: Answer = Output.text,
) -> None:
    """Process a bounded range of history beside the live query, into the same sink."""
    bounds = (from_version, to_version)
    versions = (bounds[0], bounds[1]) if bounds[0] is not None and bounds[1] is not None else None
    asked = _asked(target, sink, source, file, profile)
    _deliver(
        lambda looked: plan_backfill(
            looked,
            Range(
                since=tuple(map(PartitionOffset.parse, from_offset or ())),
                until=tuple(map(PartitionOffset.parse, to_offset or ())),
                versions=versions,
                files=tuple(input_file or ()),
                again=only is Only.all,
            ),
        ),
        asked,
        accept,
        o,
        output,
    )


def _asked(
    target: str,
    sink: list[str] | None,
    source: list[str] | None,
    file: str,
    profile: str | None,
) -> Asked:
    return Asked(
        target=target,
        sinks=tuple(sink or ()),
        sources=tuple(source or ()),
        file=file,
        profile=profile,
    )


def _deliver(
    make: Callable[[View], Plan],
    asked: Asked,
    accept: list[str] | None,
    file: str | None,
    output: Output,
) -> None:
    def planned() -> Plan:
        made = make(view(asked, accept or ()))
        if file is not None:
            write_plan(made, file)
        return made

    def as_text(made: Plan) -> None:
        text = importlib.import_module("holdfast.surfaces.render.plan.text")
        text.print_plan(plan_id(made), made, file)

    deliver(
        planned,
        name="plan",
        output=output,
        target=lambda made: made.target,
        result=lambda made: plan_result(plan_id(made), made, file),
        warnings=lambda made: (),
        text=as_text,
    )
