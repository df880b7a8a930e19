"""HF405: a file has a format that this release does not know.

A newer Spark wrote it. What it means for a restart cannot be said from here, and is not guessed at.

Means: the version line of a file is higher than the highest that this release reads.
Verdict: unknown for resume and replay.
Do: judge it with a newer release of Holdfast.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for seen in evidence.saw("HF102"):
        yield rule.found(
            "unknown",
            f"{seen.path or 'a file'} is newer than this release: {seen.message}",
            evidence=seen.path,
            consequence="what a start makes of it is not known",
            next_action="judge it with a newer release of Holdfast",
        )


RULE = Rule(code="HF405", title="a format is newer than this release", check=_check)
