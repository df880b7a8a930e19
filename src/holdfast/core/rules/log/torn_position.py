"""HF407: the position of a source is not complete.

Spark parses the position when the source starts, and fails there, or reads a number that was cut
off and goes on from a wrong place.

Means: a line of the newest plan is no whole JSON.
Verdict: unsafe for resume and replay.
Do: restore the plan from a backup.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for seen in evidence.saw("HF116"):
        yield rule.found(
            "unsafe",
            f"{seen.path}: {seen.message}",
            evidence=seen.path,
            consequence="the source does not start, or starts at a wrong place",
            next_action=f"restore {seen.path} from a backup",
        )


RULE = Rule(code="HF407", title="a source's position is torn", check=_check)
