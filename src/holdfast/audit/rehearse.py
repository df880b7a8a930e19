"""rehearse: run a job for real on a twin of its checkpoint and a shadow of its sink.

What is declared now is started where production would start it: the same batch, over the same
input, with the same state. Production is read, and never written; that is held against digests of
every file of its checkpoint, and against what its sink remembers, before and after.
"""

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.adapters.declarations.job_copy import job_copy
from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.outputs.opening import open_output
from holdfast.adapters.own_folder import own_folder
from holdfast.adapters.records.opening import open_records
from holdfast.adapters.surroundings.processes import ProcessGroup
from holdfast.audit.declared import (
    copied_sink,
    job_environ,
    job_of,
    native_target,
)
from holdfast.audit.twin import copy_twin, file_marks
from holdfast.core.crash.table import Table
from holdfast.core.fact import Known
from holdfast.core.job import FILE_FORMATS, Declaration, Job
from holdfast.core.recording.progress import by_batch
from holdfast.core.recording.segment import PROGRESS
from holdfast.core.running.ports import NativeSink, TrialSink, TrialTarget
from holdfast.core.running.run import RunResult
from holdfast.core.secret_text import hide
from holdfast.core.verdict import Verdict
from holdfast.flows.declaration import load
from holdfast.flows.evidence import Asked, Taken, take_look
from holdfast.flows.judge import judge
from holdfast.flows.records.run_records import list_runs, read_runs
from holdfast.flows.records.segment_reading import read_segments
from holdfast.flows.status import Target, job_status

_WITHIN_S = 3_600.0
_END_WITHIN_S = 120.0
_LOOK_S = 0.2
_SPARK = {
    "spark.ui.enabled": "false",
    # The shadow has no entries of earlier batches, and a compaction would ask for them.
    "spark.sql.streaming.fileSink.log.compactInterval": "1000000000",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """What came of it."""

    job: str
    location: str
    """Of the production checkpoint."""
    folder: str
    """Where twin, shadow and logs are kept."""
    verdict: Verdict
    """What `judge` says of a resume with the code that was rehearsed."""
    end: RunResult | None
    """How the run ended; None where it left no word."""
    last_words: str
    """The end of its log, where it did not end well."""
    first_batch: int | None
    """The first batch that it ran, None where it ran none."""
    batches: tuple[Mapping[str, Any], ...]
    """Progress of each batch, by Spark's own field names."""
    written: Table
    """What is in the shadow of the sink."""
    changed: tuple[str, ...]
    """Files of the production checkpoint that are not as they were, and sinks that moved."""
    was_running: bool
    """Whether production ran meanwhile: then changes are its own."""

    @property
    def starts(self) -> bool:
        """Whether the job came up on the twin, and no batch failed."""
        return self.end is not None and not self.end.is_bad

    @property
    def is_good(self) -> bool:
        """Whether it starts, and production is untouched."""
        return self.starts and (not self.changed or self.was_running)


def rehearse(
    name: str,
    *,
    file: str,
    profile: str | None,
    batches: int,
    environ: Mapping[str, str],
) -> Rehearsed:
    """Run a declared job for at most so many batches on a twin of its checkpoint."""
    declaration = load(file, profile)
    job = job_of(declaration, name)
    sink = copied_sink(job)
    asked = Asked(target=name, file=file, profile=profile, against=declaration.path)
    taken = take_look(asked, ThisMachine())
    judged = judge(taken.evidence, "resume")
    before = file_marks(taken.storage)
    place = own_folder("rehearse", environ)
    twin = copy_twin(taken.storage, place / "checkpoint", name)
    with _shadow(sink, place) as target:
        declared = _declare(declaration, job, place, twin, target)
        _run(declared, name, place, twin, batches, job_environ(environ, declaration.folder))
        written = open_output(target.read, place).read()
    records = open_records(str(twin))
    newest = list_runs(records)
    runs = read_runs(records, newest, [newest.newest]) if newest.newest is not None else []
    end = runs[0].end if runs else None
    found = by_batch(read_segments(records, PROGRESS, limit=100_000).lines)
    shown = tuple(found[batch] for batch in sorted(found))[:batches]
    result = end.value if isinstance(end, Known) else None
    return Rehearsed(
        job=name,
        location=taken.storage.location,
        folder=str(place),
        verdict=judged.verdicts[0],
        end=result,
        last_words="" if result else hide(_last_words(place), declaration.secrets),
        first_batch=min(found, default=None),
        batches=shown,
        written=written,
        changed=_changed(asked, taken, before),
        was_running=_is_running(job),
    )


@contextmanager
def _shadow(sink: NativeSink | TrialSink, place: Path) -> Iterator[TrialTarget]:
    """A target of its own, empty; what it has on a server goes away at the end."""
    if isinstance(sink, NativeSink):
        yield native_target(sink, place)
        return
    run = f"rehearsal_{place.name}"
    try:
        yield sink.trial(str(place), run)
    finally:
        sink.end_trial(run)


def _declare(
    declaration: Declaration, job: Job, place: Path, twin: Path, target: TrialTarget
) -> Path:
    file = place / "holdfast.yaml"
    # Paths are written out: those of a declaration begin at its own folder.
    source: dict[str, Any] = {} if job.source.path is None else {"path": job.source.path}
    if job.source.job is not None:
        source["format"] = job.source.format
        if job.source.schema is not None:
            source["schema"] = job.source.schema
    if job.source.format in FILE_FORMATS:
        # It would archive or delete input that production has still to read.
        source["options"] = {"cleanSource": "off"}
    text = job_copy(
        Path(declaration.path).read_text(encoding="utf-8"),
        profile=declaration.profile,
        job=job.name,
        checkpoints=str(place / "base"),
        source=source,
        sink=target.options,
        spark=_SPARK,
        checkpoint=str(twin),
    )
    file.write_text(text, encoding="utf-8")
    return file


def _run(
    file: Path, name: str, place: Path, twin: Path, batches: int, environ: Mapping[str, str]
) -> None:
    """Until all is drained, or so many batches are committed; then it is asked to end."""
    program = (sys.executable, "-m", "holdfast", "run", name, "--once", "--file", str(file))
    before = _newest_commit(twin)
    deadline = time.monotonic() + _WITHIN_S
    with ProcessGroup(
        (*program, "--output", "json"),
        folder=file.parent,
        environ=environ,
        output=place / "run.out",
        talk=place / "run.log",
    ) as running:
        while running.wait(_LOOK_S) is None and time.monotonic() < deadline:
            if _newest_commit(twin) - before >= batches:
                running.ask_to_end()
                running.wait(_END_WITHIN_S)
                return


def _newest_commit(twin: Path) -> int:
    folder = twin / "commits"
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return max((int(name) for name in names if name.isdigit()), default=-1)


def _changed(asked: Asked, taken: Taken, before: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of what is other than before: files, and sinks by what they remember."""
    after = file_marks(taken.storage)
    files = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    now = take_look(
        Asked(target=asked.target, file=asked.file, profile=asked.profile), ThisMachine()
    )
    sinks = [
        old.sink
        for old, new in zip(taken.evidence.sinks, now.evidence.sinks, strict=True)
        if old != new
    ]
    return (*files, *sinks)


def _is_running(job: Job) -> bool:
    target = Target(name=job.name, checkpoint=job.checkpoint, declared=True)
    return job_status(target, ThisMachine()).status in ("running", "elsewhere")


def _last_words(place: Path) -> str:
    text = (place / "run.log").read_text(encoding="utf-8", errors="replace")
    return "\n".join([line for line in text.splitlines() if line.strip()][-10:])
