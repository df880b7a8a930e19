"""HF482: the checkpoint was written with asynchronous progress tracking.

Plans and commits are then written only now and then, and both logs have the same holes. A start
with it still on goes on from the newest pair. A start with it off looks for the plan just before
the newest one and fails, because it was never written.

Means: both logs lack the batch before the newest one.
Verdict: unsafe for resume and replay where the query that is to start is declared, since declared
jobs never track progress asynchronously; unknown otherwise: the sink may get rows again, in batches
that are cut otherwise.
Do: run two batches with asyncProgressTrackingCheckpointIntervalMs=0, then switch it off.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding, Weight


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    newest = evidence.offsets.newest
    if newest is None or newest == 0:
        return
    before = newest - 1
    if before not in evidence.offsets.holes or before not in evidence.commits.holes:
        return
    weight: Weight = "unknown"
    if isinstance(evidence.next_query, Known) and evidence.next_query.value.sink_kind is not None:
        weight = "unsafe"
    yield rule.found(
        weight,
        f"batch {before:,} is in neither log: progress was tracked asynchronously",
        evidence="offsets/ and commits/",
        consequence="with it still on, rows after the last written batch come again; with it off "
        "Spark refuses to start",
        next_action="run two batches with asyncProgressTrackingCheckpointIntervalMs=0 first",
    )


RULE = Rule(code="HF482", title="asynchronous progress tracking", check=_check)
