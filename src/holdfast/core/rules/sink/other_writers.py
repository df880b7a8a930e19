"""HF448: the sink remembers other queries too.

Another id in the sink's memory is a query that was reset, a copy, or a neighbour that writes to the
same table. A copy of this checkpoint that runs elsewhere has the same id and is not seen here.

Means: the sink has marks under ids that are not this query's.
Verdict: a note.
Do: if one of them was this job before a reset, its rows may be there twice: look.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import ALL_GOALS, Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for sink in evidence.sinks:
        if sink.others:
            ids = ", ".join(other.key for other in sink.others[:3])
            yield rule.found(
                "note",
                f"{sink.sink} also holds batches of {len(sink.others):,} other queries: {ids}",
                evidence=sink.last.origin,
            )


RULE = Rule(code="HF448", title="other queries write there", check=_check, goals=ALL_GOALS)
