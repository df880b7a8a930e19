"""HF213: the job last ran with its checkpoint at another place.

Spark does not notice a move, and mostly goes on. But some checkpoints hold absolute paths
(transformWithState, newer joins, Delta's schema log), with which a restart fails or skips a check;
if the old place still holds it, two queries with one id may run, and skip each other's rows; and a
job that is pointed at an empty place begins from nothing.

Means: our record of this checkpoint, or of this job beside it, names another place.
Severity: error.
Do: move it back, or point the job at it with `checkpoint:`. To really begin again, give the job a
new name and a new output.
"""

from holdfast.core.fact import Known
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Found, Neighbour, Remembered
from holdfast.core.guards.start.shown_place import shown_place
from holdfast.core.guards.start.sink_consequence import consequence_of_beginning_again
from holdfast.core.job import Job

CODE = "HF213"


def find_moved_checkpoint(job: Job, remembered: Remembered) -> tuple[GuardFinding, ...]:
    """Look for a checkpoint whose own record names another place."""
    if not isinstance(remembered.identity, Known) or not remembered.is_elsewhere:
        return ()
    old = shown_place(job, remembered.identity.value.checkpoint, "another place")
    if remembered.still_at_old_place:
        message = f"was copied: it was last used at {old}, where it still lies"
        action = "use the one at the old place: two queries with one id skip each other's rows"
    else:
        message = f"was moved: it was last used at {old}"
        action = "move it back to the old place, with its records in _holdfast/"
    return (_finding(job, f"the checkpoint {job.checkpoint!r} {message}", action),)


def find_job_elsewhere(job: Job, found: Found, home: Neighbour | None) -> tuple[GuardFinding, ...]:
    """Look for a job that has its own checkpoint beside this place, which it never used."""
    if home is None or not found.is_empty:
        return ()
    old = shown_place(job, home.identity.checkpoint, "another place")
    return (
        _finding(
            job,
            f"this job last ran with the checkpoint {old}, and nothing lies at {job.checkpoint!r}. "
            f"Begun again from nothing, {consequence_of_beginning_again(job.sink)}",
            "point the job back at that checkpoint; to begin again, give the job a new name and "
            "a new output",
        ),
    )


def _finding(job: Job, message: str, next_action: str) -> GuardFinding:
    return GuardFinding(
        code=CODE, severity="error", job=job.name, message=message, next_action=next_action
    )
