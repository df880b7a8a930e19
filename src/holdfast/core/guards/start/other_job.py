"""HF214: the checkpoint is that of another job.

A job of this or of another declaration has run with it: our record beside the checkpoint has its
name. A second job would take the first one's positions for its own, skip what it has never read,
and the two would overwrite each other's plans.

Means: our record of this checkpoint names another job.
Severity: error.
Do: give each job its own checkpoint. A job that was renamed keeps its checkpoint only under its old
name.
"""

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Remembered
from holdfast.core.job import Job

CODE = "HF214"


def find_other_job(job: Job, remembered: Remembered) -> tuple[GuardFinding, ...]:
    """Look for a record with another name."""
    if remembered.job is None or remembered.job == job.name:
        return ()
    return (
        GuardFinding(
            code=CODE,
            severity="error",
            job=job.name,
            message=f"the checkpoint {job.checkpoint!r} is that of job {remembered.job!r}",
            next_action=(
                f"give this job a checkpoint of its own, or, if it was renamed, the name "
                f"{remembered.job!r} back"
            ),
        ),
    )
