"""HF212: the checkpoint has another query id than the one this job last had.

The id in `metadata` is made once, when a query starts for the first time. Another id means another
checkpoint: one that was put here in place of this job's, or one that Spark made anew after the
folder had been emptied. Its positions are not this job's, and a sink that tells batches by query id
takes everything for new.

Means: `metadata` and our records name different queries.
Severity: error.
Do: bring back the checkpoint with the id that the message names.
"""

from holdfast.core.fact import Known
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Found, Neighbour, Remembered
from holdfast.core.job import Job

CODE = "HF212"


def find_other_query(
    job: Job, found: Found, remembered: Remembered, owner: Neighbour | None
) -> tuple[GuardFinding, ...]:
    """Look for a checkpoint that was put in place of another; `owner` is whose it is, if known."""
    known = remembered.query_id
    if known is None or not isinstance(found.query_id, Known) or found.query_id.value == known:
        return ()
    whose = f", the one of job {owner.identity.job!r}," if owner is not None else ""
    return (
        GuardFinding(
            code=CODE,
            severity="error",
            job=job.name,
            message=(
                f"the checkpoint {job.checkpoint!r} belongs to query {found.query_id.value}{whose} "
                f"and this job last ran as query {known}"
            ),
            next_action=f"bring back the checkpoint whose metadata holds {known}",
        ),
    )
