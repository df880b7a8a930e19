"""HF433: the checkpoint reaches less far than it did.

Our records say that a batch was finished, and offsets/ ends before it: an older copy was restored,
or plans were deleted. Spark counts on from what is left and uses batch numbers again that the sink
has seen: a sink that remembers drops them with whatever new rows they bring.

Means: the newest plan is older than the newest batch that our records know as finished.
Verdict: unsafe for resume; a note for the other goals.
Do: restore a copy that reaches that batch.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    records = evidence.remembered
    if not isinstance(records, Known) or records.value.last_batch is None:
        return
    last, planned = records.value.last_batch, evidence.offsets.newest
    if planned is None or planned < last:
        end = "is empty" if planned is None else f"ends with batch {planned:,}"
        yield rule.found(
            "unsafe" if goal == "resume" else "note",
            f"offsets/ {end}, and batch {last:,} of this query was finished",
            evidence=records.origin,
            consequence="batch numbers are used again, and a sink that remembers them drops rows",
            next_action=f"restore a copy of the checkpoint that reaches batch {last:,}",
        )


RULE = Rule(code="HF433", title="cut back", check=_check)
