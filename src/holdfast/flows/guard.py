"""What must hold of a checkpoint before its query may start, looked at without Spark."""

from holdfast.adapters.storage.opening import open_storage
from holdfast.core.fact import Known, interpret
from holdfast.core.formats.query_metadata import parse_query_metadata
from holdfast.core.guards.checking import check_locations
from holdfast.core.guards.guard_finding import GuardFinding
from holdfast.core.job import Declaration, Job
from holdfast.core.limits import LOG_BYTES_MAX
from holdfast.core.parts import METADATA
from holdfast.core.running.ports import Records
from holdfast.core.running.run import IDENTITY, Identity, decode_record, encode_record
from holdfast.errors import RefusedError, UnreachableError


def check_declared(declaration: Declaration, master: str) -> tuple[GuardFinding, ...]:
    """What is unsafe about the declared jobs, without a look at storage."""
    return check_locations(declaration, master)


def check_start(job: Job, records: Records, *, given_by_hand: bool) -> tuple[GuardFinding, ...]:
    """What a look at storage and records says against starting one job."""
    try:
        guard_identity(job, records)
    except RefusedError as error:
        return (
            GuardFinding(
                code=error.code,
                severity="error",
                job=job.name,
                message=error.message,
                next_action=error.next_action,
            ),
        )
    return ()


def guard_identity(job: Job, records: Records) -> None:
    """Refuse a checkpoint that is gone, that was swapped, or that was moved since the last run."""
    data = records.read(IDENTITY)
    if data is None:
        return
    known = decode_record(Identity, data)
    if known is None:
        raise RefusedError(
            "our record of this checkpoint cannot be read",
            subject=f"{records.location}/{IDENTITY}",
            next_action="put the file aside and say under which query id the job last ran",
        )
    _refuse_if_moved(job, known)
    found = stored_query_id(job.checkpoint)
    if found is None:
        raise RefusedError(
            f"the checkpoint is gone: this job last ran as query {known.query_id}, and starting it "
            "now would begin again from nothing, with rows written twice or dropped by the sink",
            subject=job.checkpoint,
            next_action="restore it from a backup",
        )
    if found != known.query_id:
        raise RefusedError(
            f"the checkpoint belongs to query {found}, and this job last ran as {known.query_id}",
            subject=job.checkpoint,
            next_action="bring back the checkpoint of this job, or give it another location",
        )


def remember_identity(job: Job, records: Records, query_id: str) -> None:
    """Write down, once, which query this checkpoint belongs to."""
    identity = Identity(job=job.name, query_id=query_id, checkpoint=job.checkpoint)
    records.create(IDENTITY, encode_record(identity))


def stored_query_id(checkpoint: str) -> str | None:
    """The id in a checkpoint's `metadata`, None where there is no checkpoint."""
    try:
        storage = open_storage(checkpoint)
        content = storage.read([METADATA], LOG_BYTES_MAX)[METADATA]
    except UnreachableError:
        return None
    fact = interpret(METADATA, content, parse_query_metadata)
    return fact.value if isinstance(fact, Known) else None


def _refuse_if_moved(job: Job, known: Identity) -> None:
    if known.job != job.name:
        raise RefusedError(
            f"this checkpoint is that of the job {known.job!r}",
            subject=job.checkpoint,
            next_action="give each job its own checkpoint",
        )
    if known.checkpoint != job.checkpoint:
        raise RefusedError(
            f"the checkpoint was moved: it was last used at {known.checkpoint}",
            subject=job.checkpoint,
            next_action="move it back",
        )
