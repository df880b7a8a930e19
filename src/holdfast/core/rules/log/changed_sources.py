"""HF411: the number of sources changed between the last two batches.

Sources are known by their position in the plan, unless they have names. A plan with another number
of sources than the one before it was written by other code. A start with code that has another
number than the newest plan fails at once; with the right number it goes on.

Means: the newest plan and the one before it have different numbers of sources.
Verdict: unknown for resume and replay.
Do: start it with the code that wrote the newest plan.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for seen in evidence.saw("HF117"):
        yield rule.found(
            "unknown",
            seen.message,
            evidence=seen.path,
            consequence="a start fails unless its code has as many sources as the newest plan",
            next_action="compare the code: holdfast judge … --against module:function",
        )


RULE = Rule(code="HF411", title="the number of sources changed", check=_check)
