"""HF436: an operation on this checkpoint stopped half-way.

A plan was being carried out or undone, and its journal has no end. Some of its steps are done and
some are not: what a start would go on from, nobody planned.

Means: the journal beside the checkpoint has an operation whose newest pass has no end.
Verdict: unsafe for every goal.
Do: go on with it by `holdfast apply`, or back by `holdfast undo`.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import ALL_GOALS, Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    records = evidence.remembered
    if not isinstance(records, Known) or records.value.open_operation is None:
        return
    operation = records.value.open_operation
    yield rule.found(
        "unsafe",
        f"operation {operation} stopped half-way",
        evidence=f"{records.origin}/journal",
        consequence="a start would go on from something that nobody planned",
        next_action=f"holdfast undo {operation} --checkpoint {evidence.location}, "
        "or `holdfast apply` of its plan",
    )


RULE = Rule(code="HF436", title="operation half done", check=_check, goals=ALL_GOALS)
