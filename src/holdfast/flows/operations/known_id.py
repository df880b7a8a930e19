"""Who remembers the id of a query whose `metadata` is gone: our records, or the sink."""

import uuid

from holdfast.core.fact import Known
from holdfast.errors import RefusedError
from holdfast.flows.operations.viewing import View


def known_id(view: View) -> tuple[str, str]:
    """The query id and where it is known from; refused where nobody or more than one is named.

    Never a new one: a sink that tells batches by query id would take all of them for new.
    """
    told = _told(view)
    ids = {query_id for query_id, _ in told}
    if len(ids) == 1:
        return told[0]
    if not ids:
        raise RefusedError(
            "metadata is gone, and neither our records nor the sink remember the query id",
            subject=view.place,
            next_action="name the sink by --sink, bring back the file from a copy, or "
            "holdfast plan reset",
        )
    named = ", ".join(f"{query_id} ({origin})" for query_id, origin in told)
    raise RefusedError(
        f"metadata is gone, and more than one query id is remembered: {named}",
        subject=view.place,
        next_action="bring back the file from a copy; the wrong id loses or doubles rows",
    )


def _told(view: View) -> list[tuple[str, str]]:
    """Our records first; the sink only where they say nothing."""
    evidence = view.taken.evidence
    if isinstance(evidence.remembered, Known):
        query_id = evidence.remembered.value.query_id
        if isinstance(query_id, Known) and _is_id(query_id.value):
            return [(query_id.value, query_id.origin)]
    ends = {evidence.offsets.newest, evidence.commits.newest}
    return [
        (other.key, memory.sink)
        for memory in evidence.sinks
        for other in memory.others
        if _is_id(other.key) and other.last in ends
    ]


def _is_id(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
