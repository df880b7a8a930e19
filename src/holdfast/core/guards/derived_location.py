"""HF201: the location looks as if it were made anew at every start.

A checkpoint is found again by its location and by nothing else. One that holds a date, a time,
a random number or the number of a run is a new and empty one at the next start: the query begins
from nothing, and reads everything again or skips what came meanwhile, without any message.

Means: a part of the location looks like a date (2026-11-15), a time in seconds or milliseconds,
a UUID, a run (run-123), or like a placeholder that nobody filled in (${…}, {{ … }}, %Y).
Severity: error; a warning where the checkpoint was given by hand, since it is there already and
cannot well be renamed. A placeholder is an error always.
Do: use a fixed name.
"""

import re

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.location import place_of
from holdfast.core.job import Job

CODE = "HF201"

_DAY = r"(?:0[1-9]|[12][0-9]|3[01])"
_MONTH = r"(?:0[1-9]|1[0-2])"
_TIME = r"(?:[T_-]?[0-2][0-9][0-5][0-9](?:[0-5][0-9])?(?:[0-9]{3})?Z?)?"

_LEFTOVERS = (
    re.compile(r"\$\{|\$\(|\{\{|\}\}|\{[A-Za-z_][^}/]*\}|<[A-Za-z_][^>/]*>"),
    # %20 and %d0 are characters of a URL, not parts of a time.
    re.compile(r"%[YmHMSj]|%d(?![0-9A-Fa-f])"),
    re.compile(r"(?i:yyyy)[-_/]?MM(?:[-_/]?(?i:dd))?"),
)
_LOOKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "a date",
        re.compile(rf"(?<![0-9])(?:19|20)[0-9]{{2}}([-_.]){_MONTH}\1{_DAY}(?![0-9])"),
    ),
    (
        "a date",
        re.compile(rf"(?<![0-9A-Za-z])(?:19|20)[0-9]{{2}}{_MONTH}{_DAY}{_TIME}(?![0-9A-Za-z])"),
    ),
    (
        "a date",
        re.compile(
            rf"(?:^|/)(?:\w+=)?(?:19|20)[0-9]{{2}}/(?:\w+=)?{_MONTH}/(?:\w+=)?{_DAY}(?![0-9])"
        ),
    ),
    ("a time", re.compile(r"(?<![0-9A-Za-z])1[4-9][0-9]{8}(?:[0-9]{3}){0,3}(?![0-9A-Za-z])")),
    (
        "a UUID",
        re.compile(
            r"(?<![0-9A-Za-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9A-Za-z])", re.I
        ),
    ),
    ("a random number", re.compile(r"(?<![0-9a-z])(?=[a-f]*[0-9])[0-9a-f]{32}(?![0-9a-z])", re.I)),
    (
        "the number of a run",
        re.compile(
            r"(?<![0-9A-Za-z])(?:run|run[-_]?id|attempt|execution|pid)[-_=]+[0-9]+(?![0-9A-Za-z])",
            re.I,
        ),
    ),
    ("the id of an application", re.compile(r"(?<![0-9A-Za-z])(?:application|app)[-_][0-9]{13,}")),
)


def find_derived_location(job: Job, *, given_by_hand: bool) -> tuple[GuardFinding, ...]:
    """Look for parts that change from start to start."""
    path = "/".join(place_of(job.checkpoint).parts)
    looks = _leftover(path) or _lookalike(path)
    if looks is None:
        return ()
    is_leftover = looks.startswith("a placeholder")
    return (
        GuardFinding(
            code=CODE,
            severity="warning" if given_by_hand and not is_leftover else "error",
            job=job.name,
            message=f"the checkpoint {job.checkpoint!r} holds what looks like {looks}",
            next_action="give it a fixed name: a new name is a new query that begins from nothing",
        ),
    )


def _leftover(path: str) -> str | None:
    if any(pattern.search(path) for pattern in _LEFTOVERS):
        return "a placeholder that nobody filled in"
    return None


def _lookalike(path: str) -> str | None:
    return next((looks for looks, pattern in _LOOKS if pattern.search(path)), None)
