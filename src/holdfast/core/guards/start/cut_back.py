"""HF219: the checkpoint reaches less far than it did.

Our records say that a batch was finished, and offsets/ ends before it: an older copy was restored,
or plans were deleted. Spark counts on from what is left and gives the next batches numbers that the
sink has seen before. The file sink, Delta and our ledgers pass over a number that they have, and
with it over the new rows in that batch: rows are lost without an error.

Means: the newest plan on storage is older than the newest batch that we know to be finished.
Severity: error; a warning with asynchronous progress tracking, where plans are written only now and
then.
Do: restore a copy that reaches the batch which the message names.
"""

from typing import Literal

from holdfast.core.fact import Known
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.start.evidence import Found, Remembered
from holdfast.core.guards.weaker_guarantee import find_weaker_guarantees
from holdfast.core.job import Job

CODE = "HF219"


def find_cut_back(job: Job, found: Found, remembered: Remembered) -> tuple[GuardFinding, ...]:
    """Look for finished batches whose plans are gone."""
    last = remembered.last_batch
    is_same_query = (
        isinstance(found.query_id, Known) and found.query_id.value == remembered.query_id
    )
    if last is None or not is_same_query or (found.planned is not None and found.planned >= last):
        return ()
    end = "is empty" if found.planned is None else f"ends with batch {found.planned:,}"
    severity: Literal["error", "warning"] = "warning" if find_weaker_guarantees(job) else "error"
    return (
        GuardFinding(
            code=CODE,
            severity=severity,
            job=job.name,
            message=(
                f"offsets/ of the checkpoint {job.checkpoint!r} {end}, and batch {last:,} of this "
                "query was finished: the sink would take new batches for ones that it has, and "
                "drop their rows"
            ),
            next_action=f"restore a copy of the checkpoint that reaches batch {last:,}",
        ),
    )
