"""HF205: a checkpoint lies inside that of another job.

Whoever moves, copies or removes the outer checkpoint does the same to the inner one, and the files
of the inner one are counted as the outer one's. Where the inner one is called like a part of a
checkpoint (offsets, state, …) the two mix their files.

Means: one job's location is a folder above another's.
Severity: error.
Do: put them side by side.
"""

from collections.abc import Sequence

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.location import place_of
from holdfast.core.job import Job

CODE = "HF205"


def find_nested_locations(jobs: Sequence[Job]) -> tuple[GuardFinding, ...]:
    """Look for checkpoints inside checkpoints."""
    places = [(job, place_of(job.checkpoint)) for job in jobs]
    return tuple(
        GuardFinding(
            code=CODE,
            severity="error",
            job=job.name,
            message=(
                f"the checkpoint {job.checkpoint!r} lies inside that of job {outer.name!r}, "
                f"{outer.checkpoint!r}"
            ),
            next_action="put the checkpoints side by side",
        )
        for job, place in places
        for outer, around in places
        if place.is_inside(around)
    )
