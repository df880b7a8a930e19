"""HF208: the job runs in a way in which Spark does not promise exactly-once.

A sink with a ledger tells a batch that comes again by its number, and relies on the same number
meaning the same rows. That holds for micro-batches whose plan is written down before they run. It
does not hold with asynchronous progress tracking (after a failure the ranges of batches may
change), nor with the continuous and the real-time trigger.

Means: `asyncProgressTrackingEnabled` is set, or the trigger is continuous or real-time.
Severity: warning.
Do: leave it out where rows must not be lost or doubled.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.job import Job

CODE = "HF208"

_WEAK_OPTIONS = ("asyncprogresstrackingenabled",)
_SOUND_TRIGGERS = ("processing-time", "available-now")


def find_weaker_guarantees(job: Job) -> tuple[GuardFinding, ...]:
    """Look for options and triggers under which batches are not repeated as they were."""
    return tuple(
        GuardFinding(
            code=CODE,
            severity="warning",
            job=job.name,
            message=f"{cause}: after a failure a batch may hold other rows than before",
            next_action="leave it out where rows must not be lost or doubled",
        )
        for cause in (*_options(job.sink.options), *_options(job.source.options), *_trigger(job))
    )


def _options(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if name.lower() in _WEAK_OPTIONS and str(value).strip().lower() == "true":
            yield f"{name}=true"


def _trigger(job: Job) -> Iterator[str]:
    # A job may be made by hand, past the types.
    kind = str(job.trigger.kind)
    if kind not in _SOUND_TRIGGERS:
        yield f"the trigger {kind}"
