"""holdfast doctor."""

import importlib
from typing import Annotated

import typer

from holdfast.core.doctor.check import Diagnosis, keeps_jobs_from_running
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.doctor_json import doctor_result

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def command(
    file: Annotated[
        str | None, typer.Option(help="The declaration; holdfast.yaml where there is one.")
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Which profile; its default by default.")
    ] = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Say what would keep jobs from running here, each with the line that mends it.

    Looks at Java, pyspark, libraries, jars, versions, the declaration, the master, and the base of
    the checkpoints: write access, clock, space. Starts no Spark. Exit code 0: fine, warnings
    allowed; 1: something would keep jobs from running; 2: could not look.
    """

    def flow() -> Diagnosis:
        # The declaration is read with pydantic and YAML, which no other command need load.
        environment = importlib.import_module("holdfast.adapters.surroundings.process_environment")
        doctor = importlib.import_module("holdfast.flows.doctor")
        found: Diagnosis = doctor.doctor(file, profile=profile, environ=environment.variables())
        return found

    def as_text(diagnosis: Diagnosis) -> None:
        importlib.import_module("holdfast.surfaces.render.doctor_text").print_doctor(diagnosis)

    deliver(
        flow,
        name="doctor",
        output=output,
        target=lambda diagnosis: diagnosis.target,
        result=doctor_result,
        warnings=lambda diagnosis: (),
        text=as_text,
        is_bad=lambda diagnosis: keeps_jobs_from_running(diagnosis.checks),
    )
