"""HF435: our own records beside it cannot be read.

Which query ran here, how far it came and who holds it is written down beside a checkpoint. Where
that cannot be read, a checkpoint that was cut back or exchanged looks sound.

Means: a record is damaged, or the store gives no answer.
Verdict: unknown for resume and replay.
Do: restore the folder `_holdfast` from a backup; `holdfast status` names the file.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Unreadable
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for fact in (evidence.remembered, evidence.last_query):
        if isinstance(fact, Unreadable):
            yield rule.found(
                "unknown",
                f"a record of ours cannot be read: {fact.reason}",
                evidence=fact.origin,
                consequence="whether this is the checkpoint that last ran is not known",
                next_action="restore it from a backup, then judge again",
            )
            return


RULE = Rule(code="HF435", title="our records cannot be read", check=_check)
