"""HF485: sources by name are switched on over a log that goes by numbers.

spark.sql.streaming.queryEvolution.enableSourceEvolution needs plans of the second format, which
only a new checkpoint gets. Over an old one Spark 4.3 refuses
(STREAMING_QUERY_EVOLUTION_ERROR.CANNOT_ENABLE_ON_EXISTING_CHECKPOINT); 4.2 takes the value that the
checkpoint pins, and the names do nothing.

Means: the setting is on in the query that is to start, and the newest plan is of the first format.
Verdict: unsafe for resume and replay on Spark 4.3 and newer or an unknown one, else a note.
Do: leave it off here, or begin a new checkpoint.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.spark_release import starting_release
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_SETTING = "spark.sql.streaming.queryEvolution.enableSourceEvolution"


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    known = upcoming(evidence)
    if known is None or not isinstance(evidence.plan, Known) or evidence.plan.value.version != 1:
        return
    if known.value.pinned.get(_SETTING, "false").lower() != "true":
        return
    release = starting_release(evidence)
    refuses = release is None or release >= (4, 3)
    yield rule.found(
        "unsafe" if refuses else "note",
        f"{_SETTING} is on, and {evidence.plan.origin} is of version 1",
        evidence=f"{evidence.plan.origin} and {known.origin}",
        consequence="Spark 4.3 and newer refuse to start"
        if refuses
        else "ignored: the checkpoint pins it, and goes by numbers",
        next_action=f"leave {_SETTING} off, or begin a new checkpoint",
    )


RULE = Rule(code="HF485", title="named sources over an old log", check=_check)
