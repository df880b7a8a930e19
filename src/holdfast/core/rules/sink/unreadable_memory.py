"""HF442: the sink's memory could not be read.

The sink is not reachable, needs credentials, is of another kind than declared, or its own log is
damaged. What it remembers is then not known, and neither is what it does with the next batch.

Means: the sink was asked and gave no answer that could be read.
Verdict: unknown for every goal.
Do: mend what the message names, then judge again.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Unreadable
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import ALL_GOALS, Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for sink in evidence.sinks:
        if isinstance(sink.last, Unreadable):
            yield rule.found(
                "unknown",
                f"what {sink.sink} remembers cannot be read: {sink.last.reason}",
                evidence=sink.last.origin,
                consequence="whether it has the next batch already is not known",
                next_action=" ".join(sink.notes) or "mend that, then judge again",
            )


RULE = Rule(code="HF442", title="the sink's memory cannot be read", check=_check, goals=ALL_GOALS)
