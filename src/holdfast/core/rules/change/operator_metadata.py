"""HF481: stateful operators have no metadata yet, so that Spark cannot compare them.

Spark 4.0 and newer write down the name of every stateful operator and compare it at each start.
A checkpoint of Spark 3.5 or older has no such files: at the first start on 4.x the comparison is
left out, and the files are written from the new plan, whatever it is.

Means: state is there, and the metadata of an operator is not; the Spark that would start it is 4.0
or newer.
Verdict: a note: the same query goes on; a changed one is not stopped this once.
Do: change nothing else in the start that brings the new Spark.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.spark_release import starting_release
from holdfast.core.fact import Absent
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    release = starting_release(evidence)
    unnamed = [each for each in evidence.operators if isinstance(each.name, Absent)]
    if release is None or release < (4, 0) or not unnamed:
        return
    yield rule.found(
        "note",
        f"{len(unnamed)} stateful operators have no metadata, as in a checkpoint of Spark 3.5",
        evidence=unnamed[0].name.origin,
        consequence="Spark does not compare the operators at this start",
        next_action="change nothing else in this start",
    )


RULE = Rule(code="HF481", title="operators without metadata", check=_check)
