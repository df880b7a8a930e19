"""holdfast audit."""

import importlib
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.adapters.page_file import refuse_bad_place, write_page
from holdfast.adapters.surroundings.process_environment import variables
from holdfast.audit.audit import Audited, Wishes
from holdfast.audit.begin import Subject, begin
from holdfast.errors import HoldfastError
from holdfast.surfaces.cli.delivery import Output, deliver
from holdfast.surfaces.render.audit.answer import audit_result
from holdfast.surfaces.render.audit.lines import AuditLines
from holdfast.surfaces.render.audit.page import audit_page
from holdfast.surfaces.render.words import plain

app = typer.Typer(add_completion=False, rich_markup_mode=None)

EXIT = {"proven": 0, "convicted": 1, "unknown": 4}
REPORT = "report.html"


class FaultChoice(StrEnum):
    """What can be done to a job at a point."""

    kill = "kill"
    disk_full = "disk-full"
    io_error = "io-error"
    read_only = "read-only"
    power_cut = "power-cut"
    pause = "pause"
    cut = "cut"
    hang = "hang"


JobName = Annotated[str | None, typer.Argument(help="The declared job to audit.")]
File = Annotated[str, typer.Option(help="The declaration, or its folder.")]
Profile = Annotated[str | None, typer.Option(help="Its profile.")]
Command = Annotated[
    str | None,
    typer.Option(
        "--command",
        help="Audit this program in place of a job; {work} is a new folder for each trial.",
    ),
]
Checkpoint = Annotated[str | None, typer.Option(help="The program's checkpoint.")]
Read = Annotated[
    str | None,
    typer.Option(
        help="Where the output is read: parquet:DIR, sqlite:FILE?table=T, delta:DIR, "
        "postgres:URL?table=T, kafka:HOST:PORT/TOPIC, or MODULE:FUNCTION; see docs/audit.md."
    ),
]
KeyColumns = Annotated[
    list[str] | None, typer.Option("--key", help="Column that tells a row; repeatable.")
]
Ignore = Annotated[list[str] | None, typer.Option(help="Column that is not compared; repeatable.")]
Whole = Annotated[
    bool, typer.Option("--whole-batches", help="The program promises never to show half a batch.")
]
Settle = Annotated[
    float | None,
    typer.Option(
        help="Seconds without a batch that reads anything, after which a program counts as done."
    ),
]
Answer = Annotated[
    str | None,
    typer.Option(help="What should be there at the end, spelled like --read; see docs/audit.md."),
]
Reset = Annotated[
    str | None,
    typer.Option(help="Command that empties an output on a server, before each trial."),
]
Through = Annotated[
    list[str] | None,
    typer.Option(
        help="Server that the program reaches by {proxy}, as NAME=HOST:PORT: its messages are "
        "crash points too. NAME is postgres, mysql, mariadb, kafka, http or tcp; repeatable.",
    ),
]
Points = Annotated[
    list[str] | None,
    typer.Option(help="Kill only here: a number or a stage such as K9; repeatable."),
]
Runs = Annotated[int | None, typer.Option(help="At most so many points, by chance.", min=1)]
Moments = Annotated[
    int,
    typer.Option(help="Kill at so many random moments too: for sinks on a server.", min=0),
]
Quick = Annotated[bool, typer.Option("--quick", help="One point of each kind.")]
Alone = Annotated[bool, typer.Option("--alone", help="One kill for each trial, not several.")]
Parallel = Annotated[int, typer.Option(help="Trials at a time.", min=1, max=16)]
Faults = Annotated[
    list[FaultChoice] | None, typer.Option(help="What happens at a point; kill by default.")
]
Seed = Annotated[int, typer.Option(help="What decides where chance does.")]
Watch = Annotated[
    bool,
    typer.Option("--watch", help="Watch folders, as where the kernel does not let us hold a job."),
]
Keep = Annotated[bool, typer.Option("--keep", help="Keep every trial, not only what failed.")]
Folder = Annotated[str | None, typer.Option(help="Where to; in the cache by default.")]
Html = Annotated[
    str | None,
    typer.Option("--html", help="Write the report, one HTML file, to here too."),
]


@app.command()
def command(
    job: JobName = None,
    file: File = "holdfast.yaml",
    profile: Profile = None,
    program: Command = None,
    checkpoint: Checkpoint = None,
    read: Read = None,
    answer: Answer = None,
    key: KeyColumns = None,
    ignore: Ignore = None,
    whole_batches: Whole = False,
    settle: Settle = None,
    reset: Reset = None,
    through: Through = None,
    points: Points = None,
    runs: Runs = None,
    moments: Moments = 0,
    quick: Quick = False,
    alone: Alone = False,
    faults: Faults = None,
    parallel: Parallel = 2,
    seed: Seed = 0,
    watch: Watch = False,
    keep: Keep = False,
    folder: Folder = None,
    html: Html = None,
    output: Annotated[Output, typer.Option(help="How to write the answer.")] = Output.text,
) -> None:
    """Kill a job at every durable step of its batches, and compare what it writes.

    Exit code 0: proven exactly once; 1: convicted; 2: could not be run; 4: not enough was killed.
    """
    subject = Subject(
        job=job,
        file=file,
        profile=profile,
        command=program,
        checkpoint=checkpoint,
        read=read,
        key=tuple(key or ()),
        ignore=tuple(ignore or ()),
        whole_batches=whole_batches,
        settle_s=settle,
        reset=reset,
        answer=answer,
        through=tuple(through or ()),
    )
    wishes = Wishes(
        points=tuple(points or ()),
        runs=runs,
        moments=moments,
        quick=quick,
        faults=tuple(fault.value for fault in faults or ()) or ("kill",),
        seed=seed,
        chained=not alone,
        parallel=parallel,
        watch=watch,
        keep=keep,
    )
    _deliver(subject, wishes, folder, html, output)


def _deliver(
    subject: Subject, wishes: Wishes, folder: str | None, html: str | None, output: Output
) -> None:
    # Spark runs in a session of its own: it must be ended before we are.
    signal.signal(signal.SIGTERM, _interrupt)

    def flow() -> tuple[Audited, str | None]:
        if html is not None:
            refuse_bad_place(html)
        with _teller() as tell:
            done = begin(subject, folder=folder, wishes=wishes, environ=variables(), tell=tell)
        return done, _report(done, html)

    def as_text(answer: tuple[Audited, str | None]) -> None:
        importlib.import_module("holdfast.surfaces.render.audit.text").print_audit(*answer)

    deliver(
        flow,
        name="audit",
        output=output,
        target=lambda answer: answer[0].title,
        result=lambda answer: audit_result(*answer),
        warnings=lambda answer: (),
        text=as_text,
        code=lambda answer: EXIT[answer[0].verdict.kind],
    )


def _teller() -> Any:
    """A live line on a terminal, lines now and then anywhere else."""
    if sys.stderr.isatty():
        return importlib.import_module("holdfast.surfaces.render.audit.bar").AuditBar()
    return AuditLines()


def _report(done: Audited, html: str | None) -> str | None:
    """Write the page, and say where it is; what was found is told even where that fails."""
    page = audit_page(done)
    written = None
    for path in (Path(done.folder, REPORT), *([] if html is None else [Path(html)])):
        try:
            write_page(path, page)
            written = str(path)
        except HoldfastError as error:
            sys.stderr.write(f"holdfast: {plain(f'{error.message}: {error.subject}')}\n")
    return written


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt
