"""HF409: an offline repartition was not finished.

Spark 4.2 can change the number of state partitions of a stopped query: it adds a batch with the
same positions and another number. Killed half way, that batch has a plan and no commit. Spark 4.2
and newer then refuse to start (STREAMING_UNFINISHED_REPARTITION_DETECTED); older ones run the batch
with the wrong number of partitions.

Means: the newest plan has no commit, and pins another number of shuffle partitions than the one
before it.
Verdict: unsafe for resume and replay.
Do: finish the repartition by calling it again with the same number.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_KEY = "spark.sql.shuffle.partitions"


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    newest, before = evidence.plan, evidence.previous_plan
    if evidence.in_flight is None or not isinstance(newest, Known) or not isinstance(before, Known):
        return
    now, then = newest.value.conf.get(_KEY), before.value.conf.get(_KEY)
    if now is not None and then is not None and now != then:
        yield rule.found(
            "unsafe",
            f"batch {evidence.in_flight:,} changes the state from {then} to {now} partitions and "
            "has no commit",
            evidence=newest.origin,
            consequence="Spark 4.2 and newer refuse to start; older ones would mix the partitions",
            next_action=f"repartition to {now} again, as it was begun",
        )


RULE = Rule(code="HF409", title="an unfinished repartition", check=_check)
