"""From a checkpoint as it was read to evidence: the same facts, flat enough to be saved."""

from holdfast.core.batch_log import BatchLog
from holdfast.core.checkpoint import Checkpoint, OperatorState
from holdfast.core.evidence.around import Seen
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.logs import Commit, LogRange, Plan, SourceSpan
from holdfast.core.evidence.state import BatchRange, Operator, Store
from holdfast.core.fact import Fact, Known
from holdfast.core.formats.commit_log import CommitEntry
from holdfast.core.formats.offset_log import OffsetEntry
from holdfast.core.formats.operator_metadata import OperatorMetadata
from holdfast.core.reading.operators import written_partitions

_CHECKSUMMED = ("metadata", "offsets", "commits", "state")
"""Parts whose files Hadoop covers with a checksum on a local disk; logs of sources have none."""


def evidence_of(
    checkpoint: Checkpoint,
    spans: tuple[SourceSpan, ...],
    previous_spans: tuple[SourceSpan, ...],
    taken_at_ms: int,
) -> Evidence:
    """What the checkpoint alone says; spans are the sources of its two newest plans."""
    newest, before = checkpoint.offsets.last, None
    if isinstance(checkpoint.previous_plan, Known):
        before = int(checkpoint.previous_plan.origin.rpartition("/")[2])
    return Evidence(
        location=checkpoint.location,
        taken_at_ms=taken_at_ms,
        query_id=checkpoint.query_id,
        offsets=_range(checkpoint.offsets),
        commits=_range(checkpoint.commits),
        plan=_plan(checkpoint.plan, newest, spans),
        previous_plan=_plan(checkpoint.previous_plan, before, previous_spans),
        commit=_commit(checkpoint.commit, checkpoint.commits.last),
        in_flight=checkpoint.in_flight,
        restart_kind=checkpoint.restart.kind,
        restart_batch=checkpoint.restart.batch,
        restart_text=checkpoint.restart.text,
        death=checkpoint.death.text if checkpoint.death else None,
        operators=tuple(_operator(checkpoint, each) for each in checkpoint.operators),
        seen=tuple(
            Seen(code=w.code, severity=w.severity, message=w.message, path=w.path)
            for w in checkpoint.warnings
        ),
        files=checkpoint.file_count,
        size_bytes=checkpoint.size_bytes,
        state_written=_state_written(checkpoint),
        unverified=_unverified(checkpoint),
        verified=sum(check.verified for check in checkpoint.checks.values()),
    )


def _unverified(checkpoint: Checkpoint) -> tuple[str, ...]:
    """On a local disk these have a checksum beside every file; elsewhere none has."""
    if not checkpoint.location.startswith(("file:", "/")):
        return ()
    return tuple(
        part
        for part, check in checkpoint.checks.items()
        if part in _CHECKSUMMED and check.files and check.status == "unverified"
    )


def _state_written(checkpoint: Checkpoint) -> bool | None:
    written, expected = written_partitions(checkpoint.operators, checkpoint.in_flight)
    return None if written is None or not expected else written == expected


def _range(log: BatchLog) -> LogRange:
    return LogRange(
        oldest=log.first,
        newest=log.last,
        count=len(log.ids),
        holes=tuple(log.gaps()),
        hole_count=log.missing_count,
    )


def _plan(plan: Fact[OffsetEntry], batch: int | None, spans: tuple[SourceSpan, ...]) -> Fact[Plan]:
    if not isinstance(plan, Known):
        return plan
    entry = plan.value
    return Known(
        Plan(
            batch=batch if batch is not None else -1,
            version=entry.version,
            timestamp_ms=entry.timestamp_ms,
            watermark_ms=entry.watermark_ms,
            conf=dict(entry.conf),
            sources=spans,
        ),
        plan.origin,
    )


def _commit(commit: Fact[CommitEntry], batch: int | None) -> Fact[Commit]:
    if not isinstance(commit, Known):
        return commit
    entry = commit.value
    return Known(
        Commit(
            batch=batch if batch is not None else -1,
            version=entry.version,
            next_watermark_ms=entry.next_watermark_ms,
            has_state_ids=bool(entry.state_unique_ids),
        ),
        commit.origin,
    )


def _operator(checkpoint: Checkpoint, operator: OperatorState) -> Operator:
    metadata = operator.metadata
    known = metadata.value if isinstance(metadata, Known) else None
    inside = _place(checkpoint.location)
    stored = [path for store in known.stores for path in store.schema_locations] if known else []
    return Operator(
        operator_id=operator.files.operator_id,
        name=_name(metadata),
        metadata_version=known.version if known else None,
        partitions=operator.partitions,
        stores=tuple(Store(name=name) for name in operator.store_names),
        provider=operator.files.provider,
        loadable=tuple(BatchRange(first=first, last=last) for first, last in operator.loadable),
        newest_version=operator.files.last_version,
        paths_outside=tuple(path for path in stored if not _place(path).startswith(inside)),
    )


def _name(metadata: Fact[OperatorMetadata]) -> Fact[str]:
    if isinstance(metadata, Known):
        return Known(metadata.value.name, metadata.origin)
    return metadata


def _place(location: str) -> str:
    """A path without the many spellings of its scheme: file:/a, file:///a and /a are one."""
    scheme, colon, rest = location.partition(":")
    if colon and scheme == "file":
        return "/" + rest.lstrip("/")
    return location
