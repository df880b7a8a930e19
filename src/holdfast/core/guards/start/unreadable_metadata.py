"""HF217: the checkpoint has lost its query id.

`metadata` holds the id and nothing else. Spark 4.2 and newer refuse to start without it. Older ones
make a new id without a word, and a sink that tells batches by query id then writes the next batch a
second time.

Means: batches or state lie in the checkpoint, and `metadata` is missing; or it cannot be read.
Severity: error.
Do: restore the file from a backup. It is one line: {"id":"…"}, with the id that the message names
where our records have it. On a local disk put the old `.metadata.crc` aside with it.
"""

from holdfast.core.fact import Known, Unreadable
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Found, Remembered
from holdfast.core.job import Job

CODE = "HF217"


def find_unreadable_metadata(
    job: Job, found: Found, remembered: Remembered
) -> tuple[GuardFinding, ...]:
    """Look for work without an id."""
    if isinstance(found.query_id, Known) or found.is_empty:
        return ()
    what = "is missing"
    if isinstance(found.query_id, Unreadable):
        what = f"cannot be read: {found.query_id.reason}"
    known = remembered.query_id
    return (
        GuardFinding(
            code=CODE,
            severity="error",
            job=job.name,
            message=f"metadata of the checkpoint {job.checkpoint!r} {what}",
            next_action=(
                "restore the file metadata from a backup"
                if known is None
                else f'restore the file metadata, which holds {{"id":"{known}"}}'
            ),
        ),
    )
