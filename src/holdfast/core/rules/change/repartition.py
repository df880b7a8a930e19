"""HF483: an offline repartition was begun and not finished.

Spark 4.2 can rewrite state for another number of partitions. It plans a batch of its own for it,
with the new number, and commits it when the state is written. In between the checkpoint belongs to
neither: 4.2 and newer refuse to start (STREAMING_UNFINISHED_REPARTITION_DETECTED), older ones would
run the batch with a number of partitions for which there is no state.

Means: the newest plan has no commit, and another spark.sql.shuffle.partitions than the one before.
Verdict: unsafe for resume and replay.
Do: run the same repartition again, which finishes it.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import arrow
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.spark_release import starting_release
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.pinned_conf import PARTITIONS
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    plan, previous = evidence.plan, evidence.previous_plan
    if not (isinstance(plan, Known) and isinstance(previous, Known)):
        return
    if evidence.in_flight != plan.value.batch:
        return
    was, now = previous.value.conf.get(PARTITIONS), plan.value.conf.get(PARTITIONS)
    if was is None or now is None or was == now:
        return
    release = starting_release(evidence)
    refuses = release is None or release >= (4, 2)
    yield rule.found(
        "unsafe",
        f"unfinished repartition, {PARTITIONS}: {arrow(was, now)}",
        evidence=f"{previous.origin} and {plan.origin}",
        consequence="Spark 4.2 and newer refuse to start"
        if refuses
        else "this Spark does not notice: it looks for state of partitions that are not there",
        next_action="run the same repartition again, which finishes it",
    )


RULE = Rule(code="HF483", title="an unfinished repartition", check=_check)
