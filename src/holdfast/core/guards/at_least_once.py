"""HF225: the target of the job cannot tell a chunk that comes again.

A function or a web server gets each chunk of a batch under a token that is the same at every
replay. Where the target remembers tokens, or can be asked for one, a chunk goes in once. Where it
can do neither, nobody knows after a crash whether the chunk that was on its way has arrived, and
it has to be sent again.

Means: a sink of kind `python` has neither `remembers: true` nor `has`, or one of kind `http` has no
`remembers: true`.
Severity: warning.
Do: let the target store the token with the rows and refuse it the second time; then say so.
"""

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.job import Job, SinkSpec

CODE = "HF225"

_KINDS = ("python", "http")


def is_at_least_once(sink: SinkSpec) -> bool:
    """Whether the target of a sink may hold a row twice after a failure, by its own word."""
    options = sink.options
    remembers = str(options.get("remembers", "")).lower() == "true"
    return sink.kind in _KINDS and not remembers and options.get("has") is None


def find_at_least_once(job: Job) -> tuple[GuardFinding, ...]:
    """Look for a target that cannot tell repeated chunks."""
    if not is_at_least_once(job.sink):
        return ()
    return (
        GuardFinding(
            code=CODE,
            severity="warning",
            job=job.name,
            message="the target cannot tell a chunk that comes again: rows are written at least "
            "once, and after each failure one chunk may be there twice",
            next_action="let the target refuse a token that it has, and add remembers: true",
        ),
    )
