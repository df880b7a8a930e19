"""HF461: what is to be started, or what last ran, could not be analysed.

The comparison was asked for and could not be made: the module does not import, the function raises
an error or gives no streaming DataFrame, Java is missing, Spark did not answer in time, or our own
record of the last start cannot be read. A change that nobody could look at is no change that is
fine.

Means: `--against` failed, or the stored fingerprint is unreadable while there is something to hold
it against.
Verdict: unknown for resume and replay.
Do: mend what the reason names, and ask again.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Unreadable
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if isinstance(evidence.next_query, Unreadable) and evidence.has_batches:
        yield rule.found(
            "unknown",
            f"the query that is to start could not be analysed: {evidence.next_query.reason}",
            evidence=evidence.next_query.origin,
            consequence="whether it goes on with this checkpoint is not known",
            next_action="mend that and ask again",
        )
    if isinstance(evidence.last_query, Unreadable) and upcoming(evidence) is not None:
        yield rule.found(
            "unknown",
            f"what last ran cannot be read: {evidence.last_query.reason}",
            evidence=evidence.last_query.origin,
            consequence="what changed since then is not known",
            next_action=f"look at {evidence.last_query.origin}",
        )


RULE = Rule(code="HF461", title="the plan could not be analysed", check=_check)
