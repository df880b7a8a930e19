"""HF432: this is the checkpoint of another query than our records know.

The id in metadata is not the one that ran here last: somebody put another checkpoint in its place,
or began again under the same name. The sink's memory belongs to the old id.

Means: the id in metadata and the one in our records differ.
Verdict: unsafe for resume and replay.
Do: put the right checkpoint back, or give the job a new name and a new output.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    here, records = evidence.query_id, evidence.remembered
    if not isinstance(here, Known) or not isinstance(records, Known):
        return
    known = records.value.query_id
    if isinstance(known, Known) and known.value != here.value:
        yield rule.found(
            "unsafe",
            f"the checkpoint is that of query {here.value}, and query {known.value} ran here",
            evidence=records.origin,
            consequence="the sink takes its batches for those of another query",
            next_action="put the checkpoint of that query back",
        )


RULE = Rule(code="HF432", title="another query's checkpoint", check=_check)
