"""HF459: the source no longer has its beginning.

A reset begins where the source begins now. What retention has removed since the query first ran is
in the old output and nowhere else: a new output will lack it.

Means: the goal is reset, replay or backfill, and the earliest record is not the first.
Verdict: unsafe for reset where the output is cleared or new; unknown where the source was not
asked.
Do: keep the old output, or bring the records back first.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for source in evidence.sources:
        gone = sum(part.earliest or 0 for part in source.parts)
        missing = source.missing_count
        if not gone and not missing:
            continue
        unit = "files" if missing else source.counts or "records"
        yield rule.found(
            "unsafe",
            f"source {source.position} ({source.kind} {source.where}): {missing or gone:,} {unit} "
            "that were there are gone",
            evidence=source.where,
            consequence=f"a {goal} cannot read them again",
            next_action="keep what the output has of them, or bring them back first",
            rows=missing or gone,
            unit=f"{unit} gone",
        )


RULE = Rule(
    code="HF459",
    title="the beginning of the source is gone",
    check=_check,
    goals=frozenset({"reset", "backfill"}),
)
