"""HF218: this is the checkpoint of another record, moved or copied here.

The checkpoint has no record of its own, but a record beside it names its query id. Whoever copied
or moved the folder left the records behind: the lease that keeps a second driver away, and the
epochs by which sinks refuse an old one. If both copies run into one sink, whoever is behind has its
rows dropped.

Means: the id in `metadata` is the one of another checkpoint below the same base.
Severity: error, also where the checkpoint was given by hand.
Do: move it back to the place that the message names, and run it there.
"""

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Found, Neighbour, Remembered
from holdfast.core.guards.start.shown_place import shown_place
from holdfast.core.job import Job

CODE = "HF218"


def find_copied_checkpoint(
    job: Job, found: Found, remembered: Remembered, owner: Neighbour | None
) -> tuple[GuardFinding, ...]:
    """Look for a query id that a record beside this checkpoint knows; `owner` is that record."""
    if owner is None or remembered.query_id is not None or found.is_empty:
        return ()
    identity = owner.identity
    home = shown_place(job, identity.checkpoint, f"the folder {owner.folder!r}")
    return (
        GuardFinding(
            code=CODE,
            severity="error",
            job=job.name,
            message=(
                f"the checkpoint {job.checkpoint!r} is that of job {identity.job!r}, query "
                f"{identity.query_id}, moved or copied from {home}"
            ),
            next_action="move it back to where it was; if it lies there too, put this copy aside",
        ),
    )
