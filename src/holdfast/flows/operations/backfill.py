"""plan backfill: a bounded range of history beside the live query, into the same sink.

The backfill has a checkpoint, an id and marks of its own: it begins with one batch that is planned
and was never run. The live checkpoint is read, and not touched.
"""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from holdfast.adapters.storage.opening import local_path
from holdfast.core.fact import Known
from holdfast.core.job import Job
from holdfast.core.plans.forward import position_lines, replaced, with_positions
from holdfast.core.plans.plan import Hazard, Leaves, Plan, SinkFate
from holdfast.core.plans.requirement import EpochIs, FileIs
from holdfast.core.plans.span import PartitionOffset, Span, delta_span, file_span, kafka_span
from holdfast.core.plans.step import Create
from holdfast.errors import RefusedError, UsageError
from holdfast.flows.operations.viewing import View
from holdfast.flows.sources.positions import ReadOn, positions_of

FOLDER = "backfills"
"""Beside the checkpoints of jobs; what lies in it is named by hand, never taken for a job's own."""
_FILES_NAMED_MAX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """What is to be processed: of Kafka, of Delta or of files."""

    since: tuple[PartitionOffset, ...] = ()
    until: tuple[PartitionOffset, ...] = ()
    versions: tuple[int, int] | None = None
    files: tuple[str, ...] = ()
    again: bool = False
    """Whether files that the query has read are processed once more."""


def plan_backfill(view: View, wanted: Range) -> Plan:
    """Process a range that the live query has passed."""
    job = _job(view)
    newest = view.taken.evidence.offsets.newest
    committed = view.taken.evidence.commits.newest
    sources = positions_of(view.taken.storage, view.taken.look)
    if newest is None or committed is None or len(sources) != 1:
        raise RefusedError(
            "a backfill needs a query that has finished a batch, with one source",
            subject=view.place,
            next_action=f"holdfast run {job.name}",
        )
    span = _span(view, sources[0], wanted)
    query_id = str(uuid.uuid4())
    name = f"{job.name}-{query_id[:8]}"
    place = f"{view.place.rpartition('/')[0]}/{FOLDER}/{name}"
    steps = [
        Create(place=place, name=file, data=data, says=f"{FOLDER}/{name}/{file}: {says}")
        for file, data, says in _files(view, span, query_id, newest, committed)
    ]
    hazards, fate = _fate(view, job, span)
    made = view.plan(
        "backfill",
        steps,
        leaves=Leaves(
            location=place, query_id=query_id, last_batch=None if span.start is None else 0
        ),
        hazards=hazards,
        sinks=(fate,),
        untouched=(f"{view.place}: the live checkpoint", "the rows that the sink holds"),
        notes=(
            f"{span.amount:,} {span.unit}, in one batch of a query of its own",
            "killed, the same run goes on: the batch is in the sink once",
            "undo puts the checkpoint of the backfill aside, until it has run",
        ),
        next_command=f"holdfast run {job.name} --backfill {name}",
    )
    needs = (EpochIs(number=0), FileIs(place=place, name="metadata", sha256=None))
    return replace(made, target=place, query_id=query_id, requirements=needs)


def _job(view: View) -> Job:
    job = view.taken.job
    if job is None:
        raise UsageError(
            "a backfill runs the transform of a declared job",
            subject=view.place,
            next_action="name the job, with --file where its declaration is elsewhere",
        )
    if view.taken.evidence.is_stateful:
        raise RefusedError(
            "this query has state, and rows of a range alone would not make the same results",
            subject=job.name,
            next_action=f"holdfast plan replay {job.name} --to-batch N",
        )
    if job.sink.kind == "file":
        raise RefusedError(
            "the log of Spark's file sink knows one query only: a second one would be passed over",
            subject=job.name,
            next_action="a sink of kind files, delta or sql can be filled by several",
        )
    return job


def _span(view: View, source: ReadOn, wanted: Range) -> Span:
    kind = source.planned.kind.name if source.planned else "none"
    text = source.planned.text if source.planned else ""
    match kind:
        case "kafka" if wanted.since or wanted.until:
            return kafka_span(text, wanted.since, wanted.until)
        case "delta" if wanted.versions is not None:
            return delta_span(text, *wanted.versions)
        case "file" if wanted.files:
            return file_span(str(source.position), _files_of(view, source, wanted))
    raise UsageError(
        f"no range of this source was given; it is of kind {kind}",
        next_action="kafka: --from-offset and --to-offset; delta: --from-version and --to-version; "
        "files: --input",
    )


def _files_of(view: View, source: ReadOn, wanted: Range) -> list[tuple[str, int]]:
    """Files by URI and time; those that the query has read are left out unless asked for."""
    if not isinstance(source.file_log, Known):
        raise RefusedError(
            "which files the query has read cannot be told: its log is not to be read",
            subject=view.place,
            next_action="holdfast show names the damage",
        )
    read = {entry.path for entry in source.file_log.value}
    found, passed = [], []
    for name in wanted.files:
        path = local_path(name)
        if path is None or not Path(path).is_file():
            raise UsageError(
                "there is no such file on this machine", subject=name, next_action="name it whole"
            )
        absolute = Path(path).resolve()
        uri = f"file://{quote(str(absolute))}"
        if uri in read and not wanted.again:
            passed.append(name)
            continue
        found.append((uri, int(absolute.stat().st_mtime * 1000)))
    if not found:
        shown = ", ".join(passed[:_FILES_NAMED_MAX])
        raise RefusedError(
            f"nothing is missing: the query has read {shown}",
            subject=view.place,
            next_action="--only all processes them once more",
        )
    return found


def _files(
    view: View, span: Span, query_id: str, newest: int, committed: int
) -> list[tuple[str, bytes, str]]:
    plan = view.read(f"offsets/{newest}")
    lines = position_lines(plan)
    metadata = json.dumps({"id": query_id}, separators=(",", ":")).encode()
    files = [(name, data, "the input files of its batch") for name, data in span.files.items()]
    number = 0
    if span.start is not None:
        begin = with_positions(plan, replaced(lines, {0: span.start}))
        commit = view.read(f"commits/{committed}")
        files += [("offsets/0", begin, "where it begins"), ("commits/0", commit, "and is not run")]
        number = 1
    end = with_positions(plan, replaced(lines, {0: span.end}))
    files.append((f"offsets/{number}", end, "where it ends; planned, and not run yet"))
    # The id comes last: without it nobody takes the folder for a checkpoint.
    return [*files, ("metadata", metadata, "the id of a query of its own")]


def _fate(view: View, job: Job, span: Span) -> tuple[Sequence[Hazard], SinkFate]:
    sink = next((memory.sink for memory in view.taken.evidence.sinks), job.sink.kind)
    if job.sink.options.get("mode") == "upsert":
        says = "upserted by key: rows that are there already replace themselves"
        return (), SinkFate(sink=sink, says=says, removed=0, duplicated=0)
    message = (
        f"{sink} appends: of {span.amount:,} {span.unit}, those that it holds already will be "
        "there twice"
    )
    fate = SinkFate(sink=sink, says="appended under marks of its own", removed=0)
    return (Hazard(code="HF601", message=message),), fate
