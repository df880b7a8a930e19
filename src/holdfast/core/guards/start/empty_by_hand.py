"""HF220: a checkpoint was given by hand, and nothing lies there.

`checkpoint:` is for a job that has a checkpoint already. Where nothing lies at the location, it is
perhaps misspelled, and the job begins from nothing beside the checkpoint that was meant.

Means: the location was given by hand, is empty, and no record of ours knows it.
Severity: warning.
Do: check the spelling; for a new job leave `checkpoint:` out.
"""

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Found, Remembered
from holdfast.core.job import UNDECLARED, Job

CODE = "HF220"


def find_empty_by_hand(
    job: Job, found: Found, remembered: Remembered, *, given_by_hand: bool
) -> tuple[GuardFinding, ...]:
    """Look for a location that was meant to hold something."""
    is_new = remembered.query_id is None and remembered.job is None
    # Code that hands over its own writer has no other way to begin.
    is_declared = job.source.format != UNDECLARED
    if not (given_by_hand and is_declared and is_new and found.is_empty):
        return ()
    return (
        GuardFinding(
            code=CODE,
            severity="warning",
            job=job.name,
            message=(
                f"the checkpoint {job.checkpoint!r} was given by hand, and nothing lies there: "
                "the job begins from nothing"
            ),
            next_action="check the spelling, or leave out `checkpoint` for a new job",
        ),
    )
