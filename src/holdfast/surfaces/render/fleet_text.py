"""`fleet` for a person: a line for each checkpoint, then what is odd."""

from holdfast.core.fact import Known
from holdfast.flows.fleet import Fleet, FleetMember
from holdfast.surfaces.render.page import Page
from holdfast.surfaces.render.words import age, count, size

_HEADER = ("checkpoint", "query id", "last commit", "batch", "in flight", "state", "size", "note")


def print_fleet(fleet: Fleet, now_ms: int) -> None:
    """Print the table."""
    marks: dict[str, str] = {}
    for finding in fleet.findings:
        if finding.severity != "info":
            mark = "!!" if finding.severity == "error" else "! "
            marks.setdefault(finding.path, f"{mark} {finding.code}")
    page = Page()
    page.say()
    page.table(
        _HEADER,
        [_row(member, now_ms, marks.get(member.path, "")) for member in fleet.members],
        indent=2,
        right=len(_HEADER),
        numbers=(3, 4, 6),
    )
    page.say()
    total = sum(member.size_bytes for member in fleet.members)
    page.say(f"{count(len(fleet.members), 'checkpoint')}, {size(total)}, below {fleet.location}")
    page.findings(fleet.findings)


def _row(member: FleetMember, now_ms: int, note: str) -> tuple[str, ...]:
    query_id = member.query_id.value[:8] + "…" if isinstance(member.query_id, Known) else "unknown"
    in_flight = "" if member.in_flight is None else f"{member.in_flight:,}"
    committed = "-" if member.committed is None else f"{member.committed:,}"
    operators = f"{member.operators} op" if member.operators else "-"
    when = age(member.committed_at_ms, now_ms) if member.committed is not None else "never"
    return (
        member.path,
        query_id,
        when,
        committed,
        in_flight,
        operators,
        size(member.size_bytes),
        note,
    )
