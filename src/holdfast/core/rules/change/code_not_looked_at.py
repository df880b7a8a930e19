"""HF460: the code that is to be started was not looked at.

A checkpoint says little of the query that wrote it, and nothing of the one that will go on with it.
Where nobody says what is to start, every verdict here is about the same query started again:
the same code, sources, sink and settings. A change of any of them may still be refused by Spark, or
be accepted and go wrong.

Means: no declaration and no `--against` names what is to start, and batches were planned.
Verdict: a note; the verdict is about the same query started again.
Do: `holdfast judge CKPT --against module:function`, or judge the declared job.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Absent
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if evidence.has_batches and isinstance(evidence.next_query, Absent):
        yield rule.found(
            "note",
            "the code that is to be started was not looked at",
            evidence=evidence.next_query.origin,
            consequence="this is about the same query started again; a changed one may differ",
            next_action=f"holdfast judge {evidence.location} --against module:function",
        )


RULE = Rule(code="HF460", title="the code was not looked at", check=_check)
