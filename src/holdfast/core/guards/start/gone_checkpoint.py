"""HF211: the checkpoint is gone, although our records say that it was there.

Somebody deleted or renamed it, or the disk it was on is not mounted. Spark takes an empty location
for a new query: it reads from the beginning, or from the newest data, without any message. What
that does to the output depends on the sink, and the message says it for the one of this job.

Means: our records name the query that ran here, and no checkpoint lies at the location.
Severity: error.
Do: bring it back: mount the disk, undo the move, or restore a backup. To really begin again, give
the job a new name and a new output.
"""

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Found, Remembered
from holdfast.core.guards.start.sink_consequence import consequence_of_beginning_again
from holdfast.core.job import Job

CODE = "HF211"


def find_gone_checkpoint(
    job: Job, found: Found, remembered: Remembered
) -> tuple[GuardFinding, ...]:
    """Look for a checkpoint that was there and is not."""
    if remembered.query_id is None or not found.is_empty:
        return ()
    reached = "" if remembered.last_batch is None else f", up to batch {remembered.last_batch:,}"
    return (
        GuardFinding(
            code=CODE,
            severity="error",
            job=job.name,
            message=(
                f"the checkpoint is gone: nothing lies at {job.checkpoint!r}, where this job ran "
                f"as query {remembered.query_id}{reached}. Begun again from nothing, "
                f"{consequence_of_beginning_again(job.sink)}"
            ),
            next_action=(
                "bring it back (a disk that is not mounted, a move, a backup); to begin again, "
                "give the job a new name and a new output"
            ),
        ),
    )
