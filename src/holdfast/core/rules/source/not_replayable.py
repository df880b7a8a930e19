"""HF458: the source cannot give the same rows again.

A batch in flight is read again from its source. A socket keeps nothing, and the offsets of a source
that nobody knows say nothing about it: what comes the second time may be other rows, or none.

Means: a batch is in flight, and a source has offsets of no known kind.
Verdict: unknown for resume.
Do: ask whoever wrote the source whether it gives the same rows for the same offsets.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_UNKNOWN = ("opaque", "python", "unknown")


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if evidence.in_flight is None or not isinstance(evidence.plan, Known):
        return
    for span in evidence.plan.value.sources:
        if span.kind in _UNKNOWN:
            yield rule.found(
                "unknown",
                f"source {span.position} is of a kind that nobody here knows, and batch "
                f"{evidence.in_flight:,} is read again",
                evidence=evidence.plan.origin,
                consequence="it may give other rows the second time",
                next_action="find out whether it gives the same rows for the same offsets",
            )


RULE = Rule(
    code="HF458", title="the source is not replayable", check=_check, goals=frozenset({"resume"})
)
