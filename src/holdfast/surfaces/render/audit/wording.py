"""What an audit is told in, on every surface: marks, and short sentences."""

from holdfast.audit.audit import Audited
from holdfast.core.crash.fault import FAULTS
from holdfast.core.crash.outcome import Outcome, OutcomeKind
from holdfast.core.crash.point import STARTING, Point
from holdfast.surfaces.render.words import count, duration

MARKS: dict[OutcomeKind, str] = {
    "exact": "●",
    "wrong": "✗",
    "torn": "◐",
    "stuck": "■",
    "unreadable": "?",
    "detected": "◇",
    "missed": "○",
}
UNTRIED = "·"
MEANINGS: dict[OutcomeKind, str] = {
    "exact": "every row once",
    "wrong": "rows lost, duplicated or changed",
    "torn": "half a batch visible, or gone again",
    "stuck": "did not start again by itself",
    "unreadable": "output cannot be read",
    "detected": "damage seen, job refuses",
    "missed": "not reached",
}


def batch_of(point: Point) -> str:
    """When it is."""
    return "before the first batch" if point.batch == STARTING else f"batch {point.batch:,}"


def recorded(done: Audited) -> str:
    """What was recorded, and how much of it was killed."""
    points = f"{count(len(done.points), 'crash point')} recorded in {count(done.batches, 'batch')}"
    if done.messages:
        points += f" ({done.messages:,} of them messages to a server and its answers)"
    each = "each" if done.points and done.killed == len(done.points) else f"{done.killed:,}"
    return f"{points}, {each} {_struck(done)} for real"


def harm(outcome: Outcome) -> str:
    """What a kill did."""
    rows = outcome.comparison
    if outcome.kind == "wrong" and rows is not None:
        return rows.told
    lines = outcome.detail.splitlines()
    if outcome.kind == "torn" and lines:
        return lines[-1]  # what was seen says it better
    return MEANINGS[outcome.kind] + (f": {lines[-1]}" if lines else "")


def percent(done: Audited) -> str:
    """The coverage, rounded down: 100 % is all of them."""
    return f"{done.killed * 100 // max(1, len(done.points))} %"


def tally(done: Audited) -> tuple[str, ...]:
    """All outcomes in numbers."""
    compared = [outcome.comparison for outcome in done.outcomes if outcome.comparison is not None]
    torn = sum(outcome.kind == "torn" for outcome in done.outcomes)
    return (
        f"{done.killed:,} of {len(done.points):,} {_struck(done)} ({percent(done)})",
        count(done.kills, "kill" if _struck(done) == "killed" else "fault"),
        count(done.starts, "start"),
        f"{count(sum(rows.lost for rows in compared), 'row')} lost",
        f"{sum(rows.duplicated for rows in compared):,} duplicated",
        f"{sum(rows.changed + rows.unexpected for rows in compared):,} changed",
        f"{torn:,} with half a batch visible"
        if done.scope.sees_halves
        else "half batches not watched",
        duration(done.duration_ms),
    )


def struck_at(outcome: Outcome) -> str:
    """What was done, up to the operation that it was done at."""
    return "killed before" if outcome.fault == "kill" else f"{outcome.fault} at"


def holds_for(done: Audited) -> str:
    """What the verdict is about, and no more than that."""
    spark = done.scope.versions.spark
    parts = [
        done.scope.sink,
        "partitions unknown",
        "the program's own Spark" if spark is None else f"Spark {spark}",
    ]
    faults = faults_of(done)
    if faults not in ((), ("kill",)):
        parts.append(f"faults {', '.join(faults)}")
    if not_compared(done):
        parts.append(f"without the columns {', '.join(not_compared(done))}")
    if done.watched is not None:
        parts.append(f"points seen and not held ({done.watched})")
    return ", ".join(parts)


def not_compared(done: Audited) -> tuple[str, ...]:
    """Columns that nothing is said about."""
    return tuple(sorted({*done.scope.ignored, *done.left_out}))


def faults_of(done: Audited) -> tuple[str, ...]:
    """What was done to the job, in the order of the table of faults."""
    used = {outcome.fault for outcome in done.outcomes}
    return tuple(name for name in FAULTS if name in used)


def _struck(done: Audited) -> str:
    return "killed" if faults_of(done) in ((), ("kill",)) else "struck"


def verdict(done: Audited) -> str:
    """The answer in one sentence."""
    match done.verdict.kind:
        case "proven":
            return f"PROVEN exactly once for: {holds_for(done)}"
        case "convicted":
            return f"CONVICTED: {'; '.join(done.verdict.reasons)}"
        case "unknown":
            return f"UNKNOWN: {'; '.join(done.verdict.reasons)}"
