"""A declared job as a workload: a copy with a checkpoint, an input and an output of its own."""

import os
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from holdfast.adapters.declarations.job_copy import job_copy
from holdfast.adapters.outputs.opening import open_output
from holdfast.adapters.sinks.opening import open_sink
from holdfast.adapters.sinks.step_files import FOLDER
from holdfast.adapters.surroundings.java_archive import quick_java_options
from holdfast.audit.room import Room, Workload
from holdfast.audit.sample import take_sample
from holdfast.audit.steadiness import one_batch_twice
from holdfast.audit.through import lead_through
from holdfast.core.crash.place import Area, Layout
from holdfast.core.formats.query_metadata import parse_query_metadata
from holdfast.core.job import FILE_FORMATS, Declaration, Job
from holdfast.core.running.ports import NativeSink, TrialSink, TrialTarget
from holdfast.errors import UsageError

_RECORDS = "_holdfast"
_FILE = "holdfast.yaml"

SPARK: dict[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # So that old entries are deleted, and state is snapshotted, within three batches.
    "spark.sql.streaming.minBatchesToRetain": "1",
    "spark.sql.streaming.stateStore.minDeltasForSnapshot": "2",
    "spark.sql.streaming.stateStore.maintenanceInterval": "1s",
}


def declared_workload(
    declaration: Declaration,
    name: str,
    *,
    text: str,
    folder: Path,
    environ: Mapping[str, str],
    read: str | None,
) -> Workload:
    """The workload of a declared job; takes a sample of its input into the folder.

    Raises UsageError where the job cannot be copied.
    """
    job = job_of(declaration, name)
    sink = copied_sink(job)
    copy = _Copy(
        text=text,
        profile=declaration.profile,
        job=job,
        sink=sink,
        audit=uuid.uuid4().hex[:6],
        source=_source(job, folder / "input"),
        environ=job_environ(environ, declaration.folder),
        read=read,
    )
    mode = job.sink.options.get("mode")
    return Workload(
        title=f"{name} ({job.sink.kind}{f', {mode}' if mode else ''})",
        furnish=copy.furnish,
        # A target of the user's own gets chunks, each of which is seen at once.
        whole_batches=not hasattr(sink, "guarantee"),
        key=_key(job),
        twice=copy.twice,
        clear=copy.clear,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Copy:
    """A job that can be set up anywhere."""

    text: str
    profile: str
    job: Job
    sink: NativeSink | TrialSink
    audit: str
    """Names on a server outlive an audit."""
    source: Mapping[str, Any]
    environ: Mapping[str, str]
    read: str | None

    def furnish(self, place: Path) -> Room:
        name, target, checkpoints = self.job.name, self._target(place), place / "checkpoints"
        file, steps = place / _FILE, place / "steps"
        steps.mkdir()
        way = lead_through(target, self.job.sink.options)
        copy = job_copy(
            self.text,
            profile=self.profile,
            job=name,
            checkpoints=str(checkpoints),
            source=self.source,
            sink={**target.options, **way.options},
            spark=SPARK,
        )
        file.write_text(copy, encoding="utf-8")
        run = (sys.executable, "-m", "holdfast", "run", name, "--once")
        roots: dict[Area, str] = {
            "checkpoint": str(checkpoints / name),
            "records": str(checkpoints / _RECORDS / name),
            "steps": str(steps),
        }
        if target.root is not None:
            roots["output"] = target.root
        read = target.read if self.read is None else self.read.replace("{work}", str(place))
        return Room(
            folder=place,
            arguments=(*run, "--file", str(file), "--output", "json"),
            working_folder=place,
            environ={**self.environ, **way.environ, **_steps(target, steps)},
            take_over=("--take-over",),
            checkpoint=checkpoints / name,
            layout=Layout(roots=roots),
            output=open_output(read, place),
            proxies=way.proxies,
            last_batch=self._ledger(target, checkpoints / name),
        )

    def _ledger(self, target: TrialTarget, checkpoint: Path) -> Callable[[], int | None] | None:
        """Asks the ledger of a sink on a server; files are left alone, a look may change them."""
        if target.root is not None or isinstance(self.sink, NativeSink):
            return None
        sink = open_sink(self.job.sink.kind, {**self.job.sink.options, **target.options})
        if isinstance(sink, NativeSink):
            return None
        metadata = checkpoint / "metadata"

        def last_batch() -> int | None:
            if not metadata.is_file():
                return None
            return sink.last_batch(parse_query_metadata(metadata.read_bytes()))

        return last_batch

    def _target(self, place: Path) -> TrialTarget:
        if isinstance(self.sink, NativeSink):
            return native_target(self.sink, place)
        return self.sink.trial(str(place), self._run(place))

    def clear(self, place: Path) -> None:
        if not isinstance(self.sink, NativeSink):
            self.sink.end_trial(self._run(place))

    def _run(self, place: Path) -> str:
        return f"r{self.audit}_{place.name.rpartition('-')[2]}"

    def twice(self, room: Room, place: Path) -> frozenset[str]:
        return one_batch_twice(room, room.folder / _FILE, self.job.name, self.environ, place)


def job_of(declaration: Declaration, name: str) -> Job:
    """The job of this name; raises UsageError that names the others."""
    known = {job.name: job for job in declaration.jobs}
    if name not in known:
        raise UsageError(
            f"no job is called {name!r} in profile {declaration.profile!r}",
            subject=declaration.path,
            next_action=f"use one of {', '.join(known)}",
        )
    return known[name]


def _key(job: Job) -> tuple[str, ...]:
    """Columns that tell a row. A key of Kafka tells no row: each may come many times."""
    key = job.sink.options.get("key") or ()
    if job.sink.options.get("mode") != "upsert":
        return ()
    return (key,) if isinstance(key, str) else tuple(key)


def _source(job: Job, folder: Path) -> dict[str, Any]:
    source = job.source
    if source.format not in FILE_FORMATS or source.path is None or "://" in source.path:
        # Kafka, Delta and the like are read where they are: a job only reads there.
        return {} if source.job is None else {"format": source.format, "path": source.path}
    sample = take_sample(Path(source.path), folder)
    given: dict[str, Any] = {
        "format": source.format,
        "path": str(sample.folder),
        "options": {**source.options, "maxFilesPerTrigger": sample.files_a_batch},
    }
    return given if source.schema is None else {**given, "schema": source.schema}


def copied_sink(job: Job) -> NativeSink | TrialSink:
    """The sink of a job, of which a copy can be made; raises UsageError where none can."""
    sink = open_sink(job.sink.kind, job.sink.options)
    if isinstance(sink, NativeSink):
        if sink.format in (*FILE_FORMATS, "delta"):
            return sink
    elif hasattr(sink, "trial"):
        return cast(TrialSink, sink)
    raise UsageError(
        f"a sink of kind {job.sink.kind!r} cannot be copied into an audit",
        subject=job.name,
        next_action="audit it as a program: holdfast audit --command … --checkpoint … --read …",
    )


def _steps(target: TrialTarget, steps: Path) -> dict[str, str]:
    """Steps of a sink on a server are told by files: nothing else of it is seen here."""
    return {FOLDER: str(steps)} if target.root is None else {}


def native_target(sink: NativeSink, place: Path) -> TrialTarget:
    """A folder for what Spark's own sinks write."""
    output = place / "output"
    if sink.format == "delta":
        read = f"delta:{output}"
    else:
        form = "parquet" if sink.format == "parquet" else "lines"
        read = f"spark-{form}:{output}"
    return TrialTarget(options={"path": str(output)}, root=str(output), read=read)


def job_environ(environ: Mapping[str, str], folder: str) -> dict[str, str]:
    """What a copy of a job needs: its own modules, and a Java that starts quickly."""
    paths = [folder, *(p for p in environ.get("PYTHONPATH", "").split(os.pathsep) if p)]
    return {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": quick_java_options(sys.executable, environ),
        **environ,
        "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in paths),
    }
