"""The JSON of `show`, which later work and other programs stand on: only ever add to it."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.batch_log import BatchLog
from holdfast.core.checkpoint import Checkpoint, OperatorState
from holdfast.core.fact import Fact, Known, Unreadable
from holdfast.core.formats.commit_log import CommitEntry
from holdfast.core.formats.file_source_log import FileSourceEntry
from holdfast.core.formats.offset_log import OffsetEntry
from holdfast.core.formats.state_schema import describe_struct
from holdfast.core.pinned_conf import differing
from holdfast.core.reading.operator_schemas import OperatorSchemas
from holdfast.core.reading.operators import StoreVersions
from holdfast.core.state.loadable import Range
from holdfast.flows.show import BatchView, Shown

VersionsByOperator = Mapping[int, tuple[StoreVersions, ...]]


def show_result(shown: Shown) -> dict[str, Any]:
    """The `result` of the envelope."""
    checkpoint = shown.checkpoint
    query_id = checkpoint.query_id
    result: dict[str, Any] = {
        "query_id": query_id.value if isinstance(query_id, Known) else None,
        "offsets": _log(checkpoint.offsets, checkpoint.plan),
        "commits": _log(checkpoint.commits, checkpoint.commit),
        "in_flight": checkpoint.in_flight,
        "next_batch": checkpoint.restart.batch,
        "latest": _latest(checkpoint),
        "state": [_operator(operator, shown.versions) for operator in checkpoint.operators],
        "files": checkpoint.file_count,
        "bytes": checkpoint.size_bytes,
        "died": checkpoint.death.text if checkpoint.death else None,
        "restart": {
            "kind": checkpoint.restart.kind,
            "batch": checkpoint.restart.batch,
            "text": checkpoint.restart.text,
        },
        "committed_at_ms": checkpoint.committed_at_ms,
        "planned_at_ms": checkpoint.planned_at_ms,
        "next_watermark_ms": _next_watermark(checkpoint.commit),
        "pinned": {
            key: {"value": value, "default": default}
            for key, (value, default) in _differing(checkpoint).items()
        },
        "sizes": {
            part: {"files": size.files, "bytes": size.size_bytes}
            for part, size in checkpoint.sizes.items()
        },
        "integrity": {
            part: {
                "status": check.status,
                "files": check.files,
                "read": check.read,
                "verified": check.verified,
                "failed": check.failed,
                "sealed": check.sealed,
            }
            for part, check in checkpoint.checks.items()
        },
        "facts": {
            "query_id": fact_json(checkpoint.query_id),
            "plan": fact_json(checkpoint.plan),
            "previous_plan": fact_json(checkpoint.previous_plan),
            "commit": fact_json(checkpoint.commit),
        },
    }
    if shown.batch is not None:
        result["batch"] = _batch(shown.batch)
    if shown.schemas is not None:
        result["schemas"] = [_schemas(item) for item in shown.schemas]
    return result


def fact_json(fact: Fact[Any]) -> dict[str, str]:
    """How a fact is known: its status and origin, and the reason where it cannot be read."""
    if isinstance(fact, Known):
        return {"status": "known", "origin": fact.origin}
    if isinstance(fact, Unreadable):
        return {"status": "unreadable", "origin": fact.origin, "reason": fact.reason}
    return {"status": "absent", "origin": fact.origin}


def _log(log: BatchLog, newest: Fact[Any]) -> dict[str, Any] | None:
    if not log.ids:
        return None
    return {
        "version": newest.value.version if isinstance(newest, Known) else None,
        "first": log.first,
        "last": log.last,
        "count": len(log.ids),
        "gaps": log.gaps(),
        "missing": log.missing_count,
    }


def _latest(checkpoint: Checkpoint) -> dict[str, Any] | None:
    plan = checkpoint.plan
    if not isinstance(plan, Known):
        return None
    entry: OffsetEntry = plan.value
    return {
        "batch": checkpoint.offsets.last,
        "timestamp_ms": entry.timestamp_ms,
        "watermark_ms": entry.watermark_ms,
        "conf": dict(entry.conf),
        "sources": [
            {
                "position": source.position,
                "name": source.name,
                "kind": source.offset.kind.name if source.offset else None,
                "offset": source.offset.value if source.offset else None,
                "text": source.offset.text if source.offset else "-",
            }
            for source in checkpoint.sources
        ],
    }


def _operator(operator: OperatorState, versions: VersionsByOperator | None) -> dict[str, Any]:
    loadable = operator.loadable
    result: dict[str, Any] = {
        "operator": operator.files.operator_id,
        "name": operator.name,
        "partitions": operator.partitions,
        "stores": list(operator.store_names),
        "files": dict(operator.files.kind_counts),
        "last_version": operator.files.last_version,
        "temporary_files": operator.files.temporary_files,
        "loadable_batches": (
            {"first": loadable[0][0], "last": loadable[-1][1]} if loadable else None
        ),
        "loadable_ranges": _ranges(loadable),
        "provider": operator.files.provider,
        "metadata": fact_json(operator.metadata),
    }
    if versions is not None:
        result["partition_versions"] = [
            {"partition": v.partition, "store": v.store, "versions": _ranges(v.versions)}
            for v in versions[operator.files.operator_id]
        ]
    return result


def _ranges(ranges: tuple[Range, ...]) -> list[dict[str, int]]:
    return [{"first": first, "last": last} for first, last in ranges]


def _batch(view: BatchView) -> dict[str, Any]:
    plan = view.plan.value if isinstance(view.plan, Known) else None
    return {
        "batch": view.batch,
        "committed": view.committed,
        "timestamp_ms": plan.timestamp_ms if plan else None,
        "watermark_ms": plan.watermark_ms if plan else None,
        "next_watermark_ms": _next_watermark(view.commit),
        "plan": fact_json(view.plan),
        "sources": [
            {
                "position": move.source.position,
                "name": move.source.name,
                "kind": move.kind,
                "counts": move.counts,
                "amount": move.amount,
                "moves": [
                    {
                        "labels": dict(zip(move.label_names, m.labels, strict=False)),
                        "start": m.start,
                        "end": m.end,
                        "amount": m.amount,
                    }
                    for m in move.moves
                ],
                "files": _files(move.files),
            }
            for move in view.sources
        ],
    }


def _files(files: tuple[FileSourceEntry, ...] | None) -> list[dict[str, Any]] | None:
    if files is None:
        return None
    return [{"path": entry.path, "timestamp_ms": entry.timestamp_ms} for entry in files]


def _schemas(schemas: OperatorSchemas) -> dict[str, Any]:
    files = []
    for path, fact in schemas.files.items():
        item: dict[str, Any] = {"path": path, **fact_json(fact)}
        if isinstance(fact, Known):
            item["version"] = fact.value.version
            item["column_families"] = [
                {
                    "name": family.name,
                    "key": describe_struct(family.key),
                    "value": describe_struct(family.value),
                    "key_schema": family.key,
                    "value_schema": family.value,
                }
                for family in fact.value.column_families
            ]
        files.append(item)
    return {"operator": schemas.operator_id, "files": files}


def _next_watermark(commit: Fact[CommitEntry]) -> int | None:
    return commit.value.next_watermark_ms if isinstance(commit, Known) else None


def _differing(checkpoint: Checkpoint) -> dict[str, tuple[str, str | None]]:
    return differing(checkpoint.plan.value.conf) if isinstance(checkpoint.plan, Known) else {}
