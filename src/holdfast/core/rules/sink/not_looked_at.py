"""HF441: the sink's own memory of batches was not looked at.

Half of the truth lies in the sink: Delta, the file sink, Iceberg and ledgers remember which batches
they hold and drop whatever has a number that they have seen. A checkpoint that was cut back,
emptied, restored or copied looks sound by itself, and loses rows at the next start. Without a look
at the sink nothing better than unknown can be said.

Means: no sink was named, and no declaration names one.
Verdict: unknown for every goal.
Do: name it: `holdfast judge CKPT --sink delta:PATH`, or judge the declared job.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import ALL_GOALS, Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if not evidence.sinks:
        yield rule.found(
            "unknown",
            "nobody looked at what the sink remembers",
            evidence="no sink was named",
            consequence="rows may be dropped or written twice, and nothing here would show it",
            next_action=f"holdfast judge {evidence.location} --sink delta:PATH (or parquet:, "
            "files:, postgres:, sqlite:, kafka:, iceberg:, none)",
        )


RULE = Rule(
    code="HF441", title="the sink's memory was not looked at", check=_check, goals=ALL_GOALS
)
