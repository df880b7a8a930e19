"""HF215: our own record of this checkpoint cannot be read.

`identity.json` says to which query and which job a checkpoint belongs. It is written once and never
changed by us, so something else damaged it. Without it a checkpoint that was swapped or moved would
not be noticed.

Means: `_holdfast/<name>/identity.json` is there and does not hold what we write.
Severity: error.
Do: restore the file from a backup. Without one, make sure that `metadata` holds the query id of
this job, then put `identity.json` aside: the next start writes it anew. Leave all other records
where they are: the lease and the fence of the sinks count on them.
"""

from holdfast.core.fact import Unreadable
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Remembered
from holdfast.core.job import Job

CODE = "HF215"


def find_unreadable_record(job: Job, remembered: Remembered) -> tuple[GuardFinding, ...]:
    """Look for a damaged record of ours."""
    if not isinstance(remembered.identity, Unreadable):
        return ()
    last = (
        f" holds {remembered.ended_query_id}, the id of the last run,"
        if remembered.ended_query_id is not None
        else " holds the id of this job's query"
    )
    return (
        GuardFinding(
            code=CODE,
            severity="error",
            job=job.name,
            message=(
                f"our record {remembered.identity.origin} of this checkpoint cannot be read: "
                f"{remembered.identity.reason}"
            ),
            next_action=(
                f"restore it from a backup, or make sure that metadata{last} and put only this "
                "record aside"
            ),
        ),
    )
