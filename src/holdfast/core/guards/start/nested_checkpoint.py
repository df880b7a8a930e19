"""HF209: on storage, a checkpoint lies above this one or inside it.

The same harm as with two declared jobs (HF205), found by looking: the other checkpoint may be that
of another declaration, or of a query that nobody declared. Whoever moves, copies or removes the
outer one does the same to the inner one.

Means: a folder above holds a `metadata` with a query id, or a folder inside does, or Holdfast's
records of another checkpoint lie inside. Folders above that may not be read are passed over.
Severity: error.
Do: put the checkpoints side by side.
"""

from collections.abc import Sequence

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Above, Found
from holdfast.core.guards.start.shown_place import shown_place
from holdfast.core.job import Job

CODE = "HF209"


def find_nested_checkpoint(
    job: Job, found: Found, above: Sequence[Above]
) -> tuple[GuardFinding, ...]:
    """Look for checkpoints around this one and inside it."""
    around = [
        f"lies inside the checkpoint {shown_place(job, folder.location, 'in a folder above it')}"
        for folder in above
        if folder.is_checkpoint
    ]
    inside = [f"has another one inside it, {name!r}" for name in found.checkpoints_inside[:1]]
    return tuple(
        GuardFinding(
            code=CODE,
            severity="error",
            job=job.name,
            message=f"the checkpoint {job.checkpoint!r} {relation}",
            next_action="put the checkpoints side by side",
        )
        for relation in (*around, *inside)
    )
