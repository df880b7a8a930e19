"""HF452: a source could not be asked.

The broker, the table or the folder gave no answer. The query would not start either, or start and
wait.

Means: the source was named, and asking it failed.
Verdict: unknown for every goal.
Do: mend what the message names, then judge again.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import ALL_GOALS, Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for source in evidence.sources:
        if source.problem is not None:
            yield rule.found(
                "unknown",
                f"source {source.position} ({source.kind}) could not be asked: "
                f"{source.problem.reason}",
                evidence=source.where or source.problem.origin,
                consequence="whether it still has what comes next is not known",
                next_action="mend that, then judge again",
            )


RULE = Rule(code="HF452", title="a source could not be asked", check=_check, goals=ALL_GOALS)
