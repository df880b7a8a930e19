"""The JSON of `fleet`."""

from typing import Any

from holdfast.core.fact import Known
from holdfast.flows.fleet import Fleet, FleetMember


def fleet_result(fleet: Fleet) -> dict[str, Any]:
    """The `result` of the envelope."""
    return {
        "count": len(fleet.members),
        "bytes": sum(member.size_bytes for member in fleet.members),
        "checkpoints": [_member(member) for member in fleet.members],
    }


def _member(member: FleetMember) -> dict[str, Any]:
    return {
        "path": member.path,
        "query_id": member.query_id.value if isinstance(member.query_id, Known) else None,
        "last_planned": member.planned,
        "last_committed": member.committed,
        "in_flight": member.in_flight,
        "committed_at_ms": member.committed_at_ms,
        "operators": member.operators,
        "files": member.files,
        "bytes": member.size_bytes,
    }
