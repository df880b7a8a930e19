"""HF227: an operation on this checkpoint stopped half-way.

`holdfast apply` or `holdfast undo` was killed, or met an error, between two steps of a plan. Some
files lie where they did and some do not, and the sink may be ahead of the checkpoint or behind it.
A query that starts now goes on from something that nobody planned.

Means: the journal beside the checkpoint has an operation whose newest pass has no end.
Severity: error.
Do: the command in the message goes on with it; `holdfast undo` goes back to before it.
"""

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Remembered
from holdfast.core.job import Job

CODE = "HF227"


def find_open_operation(job: Job, remembered: Remembered) -> tuple[GuardFinding, ...]:
    """Look for an operation that was begun and has no end."""
    operation = remembered.open_operation
    if operation is None:
        return ()
    return (
        GuardFinding(
            code=CODE,
            severity="error",
            job=job.name,
            message=f"operation {operation} on the checkpoint {job.checkpoint!r} stopped half-way",
            next_action=f"`holdfast undo {operation} --checkpoint {job.name}` goes back; "
            "`holdfast apply` of its plan goes on with it",
        ),
    )
