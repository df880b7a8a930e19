"""HF455: what the query would read next is gone.

Retention, a vacuum or somebody's hand removed what was not read yet. Kafka fails (KAFKA_DATA_LOSS)
unless failOnDataLoss is false, and then goes on without those records. Setting that option is no
cure: it makes the loss silent. Input files that a batch in flight needs make every start fail.

Means: the stored position lies before the earliest record, or files that a start will read are
missing or changed.
Verdict: unsafe for resume and replay.
Do: bring the records back (a mirror, a backup), or decide on the loss and plan a reset.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for source in evidence.sources:
        lost = sum(part.lost or 0 for part in source.parts)
        broken = any(part.stored_is_readable is False for part in source.parts)
        if not lost and not broken and not source.needed_count:
            continue
        if any(part.is_past_end for part in source.parts):
            continue  # HF453 says it
        unit = source.counts or "records"
        what = (
            f"{source.needed_count:,} files that a start will read are gone or changed"
            if source.needed_count
            else f"{lost:,} {unit} were removed before they were read"
            if lost
            else "what the stored position points at is gone"
        )
        yield rule.found(
            "unsafe",
            f"source {source.position} ({source.kind} {source.where}): {what}",
            evidence=source.where,
            consequence="the query fails, or goes on without them where it is told to",
            next_action="bring them back; failOnDataLoss=false only makes the loss silent",
            rows=lost or source.needed_count or None,
            unit="files" if source.needed_count else f"{unit} lost" if lost else None,
        )


RULE = Rule(code="HF455", title="unread records are gone", check=_check)
