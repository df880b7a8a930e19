"""What must hold of a job before its query may start, looked at without Spark."""

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.checking import check_locations
from holdfast.core.guards.location import place_digest
from holdfast.core.guards.start.checking import judge_start, needs_neighbours
from holdfast.core.job import Declaration, Job
from holdfast.core.running.ports import Records
from holdfast.core.running.run import IDENTITY, Identity, decode_record, encode_record
from holdfast.core.secret_text import as_shown
from holdfast.errors import RefusedError
from holdfast.flows.start_evidence import (
    look_above,
    look_at_checkpoint,
    look_at_neighbours,
    remember,
)


def check_declared(declaration: Declaration, master: str) -> tuple[GuardFinding, ...]:
    """Everything that is unsafe about the declared jobs, without a look at storage."""
    return check_locations(declaration, master)


def check_start(job: Job, records: Records, *, given_by_hand: bool) -> tuple[GuardFinding, ...]:
    """Everything that is unsafe about starting one job now: its checkpoint, and our records of it.

    Reads names and a few small files. Raises UnreachableError where a store gives no answer.
    """
    remembered = remember(job.checkpoint, records)
    found = look_at_checkpoint(job.checkpoint)
    is_needed = needs_neighbours(found, remembered)
    return judge_start(
        job,
        found,
        remembered,
        above=look_above(job.checkpoint),
        neighbours=look_at_neighbours(job.checkpoint) if is_needed else (),
        given_by_hand=given_by_hand,
    )


def remember_identity(job: Job, records: Records, query_id: str) -> None:
    """Write down, once, which query this checkpoint belongs to.

    Raises RefusedError where it is written down already that it belongs to another one: somebody
    changed the checkpoint between the guards and the start, and the query must be stopped.
    """
    identity = Identity(
        job=job.name,
        query_id=query_id,
        checkpoint=as_shown(job.checkpoint),
        place=place_digest(job.checkpoint),
    )
    if records.create(IDENTITY, encode_record(identity)):
        return
    data = records.read(IDENTITY)
    known = decode_record(Identity, data) if data is not None else None
    if known is not None and known.query_id == query_id:
        return
    belongs = "cannot be read" if known is None else f"names query {known.query_id}"
    raise RefusedError(
        f"the query started as {query_id}, and our record of this checkpoint {belongs}",
        subject=f"{records.location}/{IDENTITY}",
        next_action="stop the query, and bring back the checkpoint that the record names",
    )
