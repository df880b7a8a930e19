"""HF451: a source was not asked what it still has.

A position says where to go on, not whether it is still there. Kafka deletes by retention, a topic
may have been made anew under the same name, a Delta table may have been vacuumed or replaced, an
input file removed. Kafka's offsets carry no topic id, so a new topic with the same name is read
from the old position without an error.

Means: the plan has a source that nobody asked.
Verdict: unknown for every goal, except for sources that make their own rows (rate).
Do: name it: `--source kafka:BROKERS/TOPIC`, or judge the declared job.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import ALL_GOALS, Rule
from holdfast.core.verdict import RuleFinding

_NEED_NONE = ("rate", "rate-micro-batch")


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if not isinstance(evidence.plan, Known):
        return
    asked = {source.position for source in evidence.sources}
    for span in evidence.plan.value.sources:
        if span.kind in _NEED_NONE or span.position in asked:
            continue
        yield rule.found(
            "unknown",
            f"source {span.position} ({span.kind}) was not asked what it still has",
            evidence=evidence.plan.origin,
            consequence="what comes next may be gone, or be that of another topic or table",
            next_action=f"add --source {_spelled(span.kind)}",
        )


def _spelled(kind: str) -> str:
    return {"kafka": "kafka:BROKERS/TOPIC", "file": "files:PATH"}.get(kind, f"{kind}:PATH")


RULE = Rule(code="HF451", title="a source was not asked", check=_check, goals=ALL_GOALS)
