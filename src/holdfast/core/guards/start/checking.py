"""All guards over one job right before it starts."""

from collections.abc import Iterator, Sequence

from holdfast.core.fact import Known
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.copied_checkpoint import find_copied_checkpoint
from holdfast.core.guards.start.cut_back import find_cut_back
from holdfast.core.guards.start.empty_by_hand import find_empty_by_hand
from holdfast.core.guards.start.evidence import Above, Found, Neighbour, Remembered
from holdfast.core.guards.start.gone_checkpoint import find_gone_checkpoint
from holdfast.core.guards.start.inside_data import find_inside_data
from holdfast.core.guards.start.moved_checkpoint import find_job_elsewhere, find_moved_checkpoint
from holdfast.core.guards.start.nested_checkpoint import find_nested_checkpoint
from holdfast.core.guards.start.open_operation import find_open_operation
from holdfast.core.guards.start.other_job import find_other_job
from holdfast.core.guards.start.other_query import find_other_query
from holdfast.core.guards.start.unknown_work import find_unknown_work
from holdfast.core.guards.start.unreadable_metadata import find_unreadable_metadata
from holdfast.core.guards.start.unreadable_record import find_unreadable_record
from holdfast.core.job import Job


def judge_start(
    job: Job,
    found: Found,
    remembered: Remembered,
    *,
    above: Sequence[Above],
    neighbours: Sequence[Neighbour],
    given_by_hand: bool,
) -> tuple[GuardFinding, ...]:
    """Everything that is unsafe about starting this job now, by code."""
    whose = (
        find_open_operation(job, remembered)
        or find_unreadable_record(job, remembered)
        or find_other_job(job, remembered)
        or find_moved_checkpoint(job, remembered)
        or tuple(_of_the_query(job, found, remembered, neighbours, given_by_hand))
    )
    where = (*find_nested_checkpoint(job, found, above), *find_inside_data(job, found, above))
    return tuple(sorted((*where, *whose), key=lambda finding: finding.code))


def needs_neighbours(found: Found, remembered: Remembered) -> bool:
    """Whether the records beside this checkpoint have to be read: they cost requests."""
    known = remembered.query_id
    return known is None or (isinstance(found.query_id, Known) and found.query_id.value != known)


def _of_the_query(
    job: Job,
    found: Found,
    remembered: Remembered,
    neighbours: Sequence[Neighbour],
    given_by_hand: bool,
) -> Iterator[GuardFinding]:
    query_id = found.query_id.value if isinstance(found.query_id, Known) else None
    owner = next((n for n in neighbours if n.identity.query_id == query_id), None)
    home = next((n for n in neighbours if n.identity.job == job.name), None)
    yield from find_gone_checkpoint(job, found, remembered)
    yield from find_unreadable_metadata(job, found, remembered)
    yield from find_other_query(job, found, remembered, owner)
    yield from find_cut_back(job, found, remembered)
    copied = find_copied_checkpoint(job, found, remembered, owner)
    yield from copied or find_unknown_work(job, found, remembered, given_by_hand=given_by_hand)
    elsewhere = () if remembered.query_id is not None else find_job_elsewhere(job, found, home)
    yield from elsewhere or find_empty_by_hand(job, found, remembered, given_by_hand=given_by_hand)
