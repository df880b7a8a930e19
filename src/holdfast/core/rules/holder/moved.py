"""HF434: the checkpoint lies elsewhere than at its last run.

Our records were made for another place. A stateless query goes on from a moved checkpoint as
before; but if it was copied, the other copy may run as well, and both write under one id: whoever
is behind has its rows dropped.

Means: the records beside it name another location.
Verdict: unknown for resume and replay.
Do: make sure that the old place is gone or retired, then start it under its new declaration.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    records = evidence.remembered
    if isinstance(records, Known) and records.value.is_elsewhere:
        place = records.value.location
        old = place.value if isinstance(place, Known) else "another place"
        yield rule.found(
            "unknown",
            f"the records beside it were made for {old}",
            evidence=records.origin,
            consequence="if it still lies there and runs, two writers share one id",
            next_action=f"look at {old}: it must not run there any more",
        )


RULE = Rule(code="HF434", title="moved since the last run", check=_check)
