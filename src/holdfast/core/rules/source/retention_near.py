"""HF456: retention will soon pass the stored position.

The query is behind, and what it has not read is about to be deleted. Started in time nothing is
lost.

Means: less than a quarter of the retention time is left for the oldest unread record.
Verdict: a note.
Do: start it now, or raise the retention of the topic first.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.source_state import is_near, time_left
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for source in evidence.sources:
        for part in source.parts:
            left = time_left(part, evidence.taken_at_ms)
            if isinstance(left, int) and is_near(part, evidence.taken_at_ms):
                minutes = max(0, left // 60_000)
                yield rule.found(
                    "note",
                    f"source {source.position} {part.name}: unread records stay for {minutes:,} "
                    "more minutes",
                    evidence=source.where,
                    next_action="start it now, or raise the retention first",
                )
                break


RULE = Rule(code="HF456", title="retention is near", check=_check)
