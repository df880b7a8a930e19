"""HF444: batches that count as done are not in the sink.

The checkpoint says that a batch is finished, and the sink has no mark of it: the table was
replaced, emptied with its log, restored from a backup, or it is another one than the query wrote
to. Their rows are not there, and a resume does not bring them: it goes on with the next batch.

Means: the highest batch that the sink remembers is below the newest one that a start takes as done,
or one in between is missing.
Verdict: unsafe for resume; a note for the other goals.
Do: bring the table back, or plan a replay from the first batch that is missing.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.sink_memory import SinkMemory
from holdfast.core.fact import Absent, Known, Unreadable
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding, Weight


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    done = evidence.done_through
    if done is None:
        return
    for sink in evidence.sinks:
        if sink.skips == "never" or isinstance(sink.last, Unreadable):
            continue
        first = _first_missing(sink, done)
        if first is None:
            continue
        there = "is not there" if sink.exists is False else f"has no mark of batch {first:,}"
        # Iceberg finds marks by going back from the current snapshot: an expired one ends the way.
        may_be_expired = sink.kind == "iceberg" and isinstance(sink.last, Absent)
        weight: Weight = "unknown" if may_be_expired else "unsafe"
        yield rule.found(
            weight if goal == "resume" else "note",
            f"{sink.sink} {there}, and a start takes everything up to batch {done:,} as done",
            evidence=sink.last.origin,
            consequence="the rows of those batches are missing, and a resume does not bring them",
            next_action=f"bring the table back, or replay from batch {first:,}",
        )


def _first_missing(sink: SinkMemory, done: int) -> int | None:
    """The oldest batch that is surely missing, None where all may be there."""
    if not isinstance(sink.last, Known):
        return 0
    last, kept = sink.last.value, sink.oldest_known
    held = {mark.batch for mark in sink.batches}
    if kept is not None and sink.batches:
        for batch in range(kept, min(last, done) + 1):
            if batch not in held:
                return batch
    return last + 1 if last < done else None


RULE = Rule(code="HF444", title="the sink lacks finished batches", check=_check)
