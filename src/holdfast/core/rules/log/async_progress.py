"""HF408: only some batches were written down: asynchronous progress tracking.

With asyncProgressTrackingEnabled Spark writes plans and commits only now and then. A start reads
again from the last one written, in batches that are cut otherwise: rows come twice unless the sink
tells them by content. Switched off, Spark refuses to start at all, because the plan before the
newest is missing.

Means: both logs lack the batch before the newest plan.
Verdict: unknown for resume: it depends on the option and on the sink; unsafe for replay.
Do: keep the option on; to switch it off, run two batches with
asyncProgressTrackingCheckpointIntervalMs=0 first.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    for seen in evidence.saw("HF127"):
        yield rule.found(
            "unsafe" if goal == "replay" else "unknown",
            "only some batches were written down: asynchronous progress tracking was on",
            evidence=seen.path,
            consequence="with the option still on, rows after the last written batch come again; "
            "switched off, Spark refuses to start",
            next_action="keep the option on, or run two batches with an interval of 0 first",
        )


RULE = Rule(code="HF408", title="asynchronous progress tracking", check=_check)
