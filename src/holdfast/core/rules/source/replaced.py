"""HF453: the source is another one than the position belongs to.

A topic that was deleted and created again starts counting at 0. The stored position means nothing
in it: Spark reads on from that number and never sees what the new topic holds before it, without an
error. A Delta table that was replaced has another id, and Spark refuses it
(DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE).

Means: the topic id or table id differs from the one that was remembered, or the position lies past
the end.
Verdict: unsafe for resume and replay.
Do: plan a reset, or point the job at the right source.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.source_state import sameness
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for source in evidence.sources:
        past = [part for part in source.parts if part.is_past_end]
        if sameness(source) != "other" and not past:
            continue
        what = (
            "is another one than the position was stored for"
            if sameness(source) == "other"
            else f"ends at {past[0].latest:,}, and the position is {past[0].stored:,}"
        )
        skipped = sum(
            min(part.stored or 0, part.latest) - (part.earliest or 0)
            for part in source.parts
            if part.latest is not None
        )
        yield rule.found(
            "unsafe",
            f"source {source.position} ({source.kind} {source.where}) {what}",
            evidence=source.where,
            consequence="what it holds before the stored position is never read"
            if source.kind == "kafka"
            else "Spark refuses to start, or reads other rows than were meant",
            next_action="point the job at the right source, or begin again with a reset",
            rows=skipped if source.kind == "kafka" and source.parts else None,
            unit="records would never be read" if source.kind == "kafka" else None,
        )


RULE = Rule(code="HF453", title="the source was replaced", check=_check)
