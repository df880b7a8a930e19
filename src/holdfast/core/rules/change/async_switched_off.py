"""HF482: asynchronous progress tracking would be switched off.

With it plans and commits are written only now and then, and both logs have the same holes (HF408).
A declared job never tracks progress that way: its start looks for the plan just before the newest
one and fails, because that was never written.

Means: both logs lack the batch before the newest one, and a declared job is to start.
Verdict: unsafe for resume and replay.
Do: run two batches of the old query with asyncProgressTrackingCheckpointIntervalMs=0 first.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    newest, known = evidence.offsets.newest, upcoming(evidence)
    if newest is None or known is None or known.value.sink_kind is None:
        return  # an analysed plan alone does not tell how it will be started
    before = newest - 1
    if before in evidence.offsets.holes and before in evidence.commits.holes:
        yield rule.found(
            "unsafe",
            f"batch {before:,} is in neither log, and a declared job needs it",
            evidence=f"offsets/, commits/ and {known.origin}",
            consequence="with asynchronous progress tracking off Spark refuses to start",
            next_action="run two batches with asyncProgressTrackingCheckpointIntervalMs=0 first",
        )


RULE = Rule(code="HF482", title="asynchronous progress tracking switched off", check=_check)
