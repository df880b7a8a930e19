"""HF424: the state at the wanted batch cannot be loaded.

A stateful query can only be replayed from a batch whose state before it can still be loaded whole:
a snapshot and every change after it, in every partition and store. Spark keeps about a hundred
batches.

Means: the query is stateful, a batch to replay from was named, and the state after the batch before
it cannot be loaded.
Verdict: unsafe for replay.
Do: replay from a batch that the message names, restore a backup, or reset.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    begin = evidence.intent.from_batch
    if begin is None or begin == 0:
        return
    for operator in evidence.operators:
        if not operator.can_load_after(begin - 1):
            ranges = ", ".join(f"{each.first:,} to {each.last:,}" for each in operator.loadable)
            yield rule.found(
                "unsafe",
                f"the state of operator {operator.operator_id} after batch {begin - 1:,} cannot "
                f"be loaded; it can after {ranges or 'none'}",
                evidence=f"state/{operator.operator_id}",
                consequence="a replay would begin with state that is not there",
                next_action="choose another batch, restore a backup, or reset",
            )


RULE = Rule(
    code="HF424", title="the state for a replay is gone", check=_check, goals=frozenset({"replay"})
)
