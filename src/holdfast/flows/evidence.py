"""evidence: look once at everything that decides about a restart; read-only, and runs no query."""

from dataclasses import dataclass, replace

from holdfast.adapters.clock import now_ms
from holdfast.adapters.memories.opening import read_memory
from holdfast.adapters.records.opening import open_records
from holdfast.adapters.sources.opening import parse_source
from holdfast.core.evidence.around import Holder, Query, Remembered
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.gone_files import gone_files
from holdfast.core.evidence.logs import FileLog, SourceSpan
from holdfast.core.evidence.query_print import parse_query
from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.evidence.taking import evidence_of
from holdfast.core.fact import Absent, Fact, Known, Unreadable, interpret
from holdfast.core.formats.offset_log import OffsetEntry
from holdfast.core.job import Job, SinkSpec
from holdfast.core.offsets.file import FILE
from holdfast.core.ports import Storage
from holdfast.core.running.lease import Machine, epoch_name
from holdfast.core.running.ports import Records
from holdfast.core.running.run import RUNS, fingerprint_name
from holdfast.errors import HoldfastError
from holdfast.flows.locate import locate
from holdfast.flows.next_query import next_query, starting_spark
from holdfast.flows.reading import Look, read_checkpoint
from holdfast.flows.records.run_records import list_runs, read_epoch
from holdfast.flows.show import BatchView, batch_view
from holdfast.flows.sources.asking import (
    ask,
    declared_job,
    placed,
    remembered_of,
    without_position,
)
from holdfast.flows.sources.positions import ReadOn, positions_of
from holdfast.flows.start_evidence import remember
from holdfast.flows.targets import find_targets

_FINGERPRINTS_READ_MAX = 5
"""Runs that are asked for their fingerprint, the newest first; most have one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What somebody wants to know about, and where else to look."""

    target: str
    """A declared job, or the path or URL of a checkpoint."""
    sinks: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    verify: bool = False
    stateless: bool = False
    """Whether somebody says that the query keeps no state."""
    file: str = "holdfast.yaml"
    profile: str | None = None
    against: str | None = None
    """What is to be started: module:function, or a declaration. Analysed, and not run."""
    spark: str | None = None
    """The version of Spark that will start it; the installed one by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Evidence, and the look that it was taken from: plans go on from there."""

    evidence: Evidence
    look: Look
    storage: Storage
    job: Job | None
    """The declared job, where there is one."""
    checkpoint: str
    """As it was typed or declared."""
    named: tuple[str | SinkSpec, ...]
    """The sinks of the evidence, in its order, as they were typed or declared."""


def take_evidence(asked: Asked, machine: Machine) -> Evidence:
    """What a checkpoint, our records beside it, its lease, its sinks and its sources say."""
    return take_look(asked, machine).evidence


def take_look(asked: Asked, machine: Machine) -> Taken:
    """Take evidence, and keep what it was taken from."""
    _, (target,) = find_targets(asked.target, file=asked.file, profile=asked.profile)
    located = locate(target.checkpoint)
    look = read_checkpoint(located.storage, verify=asked.verify, notes=located.notes)
    evidence = evidence_of(
        look.checkpoint,
        _spans(look, look.found.offsets.last),
        _spans(look, _batch_of(look.checkpoint.previous_plan)),
        now_ms(),
    )
    evidence = replace(evidence, gone=gone_files(look.found.tree, look.checkpoint))
    evidence = _with_records(evidence, look.checkpoint.location, machine)
    secrets: frozenset[str] = frozenset()
    job = None
    if target.declared:
        job, secrets = declared_job(target.name, asked.file, asked.profile)
    given = [parse_source(text) for text in asked.sources]
    positions = positions_of(located.storage, look)
    remembered = remembered_of(target.checkpoint)
    wanted = (
        placed(positions, job, given, remembered) if positions else without_position(job, given)
    )
    named: tuple[str | SinkSpec, ...] = asked.sinks or ((job.sink,) if job else ())
    evidence = replace(
        evidence,
        next_query=next_query(
            target, against=asked.against, file=asked.file, profile=asked.profile
        ),
        spark=starting_spark(asked.spark),
        sinks=_memories(named, evidence, target.checkpoint),
        sources=ask(wanted, remembered, secrets),
        said_stateless=asked.stateless,
        file_logs=tuple(_file_log(each) for each in positions if _is_file(each)),
    )
    return Taken(
        evidence=evidence,
        look=look,
        storage=located.storage,
        job=job,
        checkpoint=target.checkpoint,
        named=named,
    )


def _is_file(source: ReadOn) -> bool:
    return source.planned is not None and source.planned.kind is FILE


def _file_log(source: ReadOn) -> FileLog:
    log = source.file_log
    if not isinstance(log, Known):
        return FileLog(position=source.position, newest=log)
    newest = max((entry.batch_id for entry in log.value), default=None)
    known: Fact[int] = Absent(log.origin) if newest is None else Known(newest, log.origin)
    return FileLog(position=source.position, newest=known)


def _memories(
    named: tuple[str | SinkSpec, ...], evidence: Evidence, checkpoint: str
) -> tuple[SinkMemory, ...]:
    """What the sinks remember that were named, or else the declared one."""
    query_id = evidence.query_id.value if isinstance(evidence.query_id, Known) else None
    return tuple(read_memory(where, query_id, checkpoint=checkpoint) for where in named)


def _batch_of(plan: Fact[OffsetEntry]) -> int | None:
    name = plan.origin.rpartition("/")[2] if isinstance(plan, Known) else ""
    return int(name) if name.isdigit() else None


def _spans(look: Look, batch: int | None) -> tuple[SourceSpan, ...]:
    return () if batch is None else tuple(_spans_of(batch_view(look, batch)))


def _spans_of(view: BatchView) -> list[SourceSpan]:
    spans = []
    for move in view.sources:
        end = move.source.offset
        start = move.start.offset if move.start else None
        spans.append(
            SourceSpan(
                position=move.source.position,
                name=move.source.name,
                kind=move.kind,
                start=start.text if start else None,
                end=end.text if end else None,
                amount=move.amount,
                unit=move.counts,
                identity=end.kind.identity(end.value) if end else None,
            )
        )
    return spans


def _with_records(evidence: Evidence, location: str, machine: Machine) -> Evidence:
    """Add what lies beside the checkpoint; a store that gives no answer is a fact too."""
    try:
        records = open_records(location)
        known = list_runs(records)
    except HoldfastError as error:
        gone = Unreadable(location, error.message, error.code)
        return replace(evidence, holder=gone, remembered=gone, last_query=gone)
    newest = known.newest
    if newest is None:
        nobody = Absent(records.location)
        return replace(evidence, holder=nobody, remembered=nobody, last_query=nobody)
    return replace(
        evidence,
        holder=_holder(records, newest, machine),
        remembered=_remembered(records, location, len(known.epochs)),
        last_query=_last_query(records, known.epochs),
    )


def _holder(records: Records, number: int, machine: Machine) -> Fact[Holder]:
    origin = f"{records.location}/{epoch_name(number)}"
    try:
        epoch, damage = read_epoch(records, number)
    except HoldfastError as error:
        return Unreadable(origin, error.message, error.code)
    if epoch is None:
        reason = damage[0].message if damage else "it cannot be read"
        return Unreadable(origin, reason, "HF129")
    if epoch.released:
        return Absent(origin)
    here = epoch.holder.shares_place(machine.me())
    return Known(
        Holder(
            epoch=number,
            host=epoch.holder.host,
            pid=epoch.holder.pid,
            since_ms=epoch.holder.started_ms,
            is_alive=machine.is_alive(epoch.holder) if here else None,
        ),
        origin,
    )


def _remembered(records: Records, location: str, runs: int) -> Fact[Remembered]:
    try:
        found = remember(location, records)
    except HoldfastError as error:
        return Unreadable(records.location, error.message, error.code)
    identity = found.identity
    if isinstance(identity, Unreadable):
        return Unreadable(identity.origin, identity.reason, identity.code)
    return Known(
        Remembered(
            job=_known(found.job, records.location),
            query_id=_known(found.query_id, records.location),
            location=_known(
                identity.value.checkpoint if isinstance(identity, Known) else None, identity.origin
            ),
            is_elsewhere=found.is_elsewhere,
            last_batch=found.last_batch,
            runs=runs,
            open_operation=found.open_operation,
        ),
        records.location,
    )


def _known(value: str | None, origin: str) -> Fact[str]:
    return Absent(origin) if value is None else Known(value, origin)


def _last_query(records: Records, epochs: tuple[int, ...]) -> Fact[Query]:
    """The newest fingerprint; a run that never came to start has none."""
    for epoch in reversed(epochs[-_FINGERPRINTS_READ_MAX:]):
        name = fingerprint_name(epoch)
        try:
            data = records.read(name)
        except HoldfastError as error:
            return Unreadable(f"{records.location}/{name}", error.message, error.code)
        if data is not None:
            return interpret(f"{records.location}/{name}", data, parse_query)
    return Absent(f"{records.location}/{RUNS}")
