"""HF216: the location holds the work of a query that we know nothing of.

A checkpoint lies where the one of this job is to be, and no record of ours says that this job made
it. It may be that of a job that ran here before, or of another team. Spark would go on from its
positions, which mean something only for the sources of the query that wrote them.

Means: there is a checkpoint, and none of our records is about it.
Severity: error; a warning where the declaration gives this checkpoint by hand, which says that it
is the one of this job: then it is adopted.
Do: give the job another name, or, if it is its own, write `checkpoint:` into its declaration.
"""

from holdfast.core.fact import Known
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Found, Remembered
from holdfast.core.job import Job

CODE = "HF216"


def find_unknown_work(
    job: Job, found: Found, remembered: Remembered, *, given_by_hand: bool
) -> tuple[GuardFinding, ...]:
    """Look for a checkpoint without any record of ours."""
    if found.is_empty or remembered.job is not None or remembered.query_id is not None:
        return ()
    whose = f"query {found.query_id.value}" if isinstance(found.query_id, Known) else "a query"
    reached = f", up to batch {found.planned:,}" if found.planned is not None else ""
    work = f"the checkpoint {job.checkpoint!r} holds the work of {whose}{reached}"
    if given_by_hand:
        message = f"{work}; it was given by hand and is taken for that of this job from now on"
        action = "make sure that sources and sink are those of that query"
    else:
        message = f"{work}, and no record says that it is this job's"
        action = (
            f"give the job another name; if it is its own, add `checkpoint: {job.checkpoint!r}` "
            "to its declaration"
        )
    return (
        GuardFinding(
            code=CODE,
            severity="warning" if given_by_hand else "error",
            job=job.name,
            message=message,
            next_action=action,
        ),
    )
