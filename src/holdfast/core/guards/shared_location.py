"""HF204: two jobs have the same checkpoint.

A checkpoint belongs to one query for ever. A second one that is pointed at it takes the first
one's positions for its own: it skips what it has never read, and the two overwrite each other's
plans.

Means: two jobs have the same location, however it is spelled (s3a:// and s3://, file:/ and a path,
`..`, double slashes).
Severity: error.
Do: give each job its own.
"""

from collections.abc import Sequence

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.location import Place, place_of
from holdfast.core.job import Job

CODE = "HF204"


def find_shared_locations(jobs: Sequence[Job]) -> tuple[GuardFinding, ...]:
    """Look for jobs that share a checkpoint; one finding for each job but the first."""
    owners: dict[Place, str] = {}
    found = []
    for job in jobs:
        owner = owners.setdefault(place_of(job.checkpoint), job.name)
        if owner != job.name:
            found.append(
                GuardFinding(
                    code=CODE,
                    severity="error",
                    job=job.name,
                    message=f"the checkpoint {job.checkpoint!r} is that of job {owner!r} too",
                    next_action="give each job a checkpoint of its own",
                )
            )
    return tuple(found)
