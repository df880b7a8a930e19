"""HF422: paths inside the checkpoint lead elsewhere: it was moved.

Operator metadata of version 2 (transformWithState, joins of state format 3 and newer) and the
schema log of a Delta source hold absolute paths. After a move Spark looks for schemas at the old
place: a Delta source with a schema log refuses to start, transformWithState cannot open its schema,
and a join passes over the check that would stop an incompatible change.

Means: a path in state/<op>/_metadata/v2 or in a schema log does not lead into this checkpoint.
Verdict: unsafe for transformWithState and for a Delta schema log; unknown for the others.
Do: move it back, or rewrite the stored paths as part of a planned move.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for operator in evidence.operators:
        if operator.paths_outside:
            name = operator.name.value if isinstance(operator.name, Known) else ""
            fails = name.startswith("transformWithState")
            yield rule.found(
                "unsafe" if fails else "unknown",
                f"operator {operator.operator_id} ({name or 'unknown'}) keeps its schema at "
                f"{operator.paths_outside[0]}",
                evidence=f"state/{operator.operator_id}/_metadata",
                consequence="it cannot open its schema there"
                if fails
                else "the check of its schema is passed over: changed code is not noticed",
                next_action="move the checkpoint back to where it was",
            )
    for seen in evidence.saw("HF115"):
        if not seen.path.startswith("state/"):
            yield rule.found(
                "unsafe",
                seen.message,
                evidence=seen.path,
                consequence="the source refuses to start from another place",
                next_action="move the checkpoint back to where it was",
            )


RULE = Rule(code="HF422", title="stored paths lead elsewhere", check=_check)
