"""HF478: a setting that the checkpoint keeps was changed, and does nothing.

The newest plan holds the settings that state was written under, and at a start they go over those
of the session; Spark says so in a line of its log. Nothing breaks, and nothing changes either: more
shuffle partitions, another state store, another codec do not come about.

Means: a pinned setting of the query that is to start differs from the newest plan.
Verdict: a note: it is ignored; unsafe for the encoding of state, which Spark refuses to change.
Do: leave it; the number of partitions can be changed offline from Spark 4.2 on.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import arrow, upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_ENCODING = "spark.sql.streaming.stateStore.encodingFormat"
"""Pinned, and yet a start with another value fails: seen on Spark 4.2 (docs/truth.md)."""


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    known = upcoming(evidence)
    if known is None or not isinstance(evidence.plan, Known):
        return
    stored = evidence.plan.value.conf
    for name, value in sorted(known.value.pinned.items()):
        if name in stored and stored[name] != value:
            refused = name == _ENCODING and evidence.is_stateful
            yield rule.found(
                "unsafe" if refused else "note",
                f"{name}: {arrow(stored[name], value)}",
                evidence=f"{evidence.plan.origin} and {known.origin}",
                consequence="Spark refuses to start: state was written in the other encoding"
                if refused
                else f"ignored: {stored[name]} counts, as the checkpoint has it",
                next_action="set it back" if refused else "",
            )


RULE = Rule(code="HF478", title="a pinned setting changed, and is ignored", check=_check)
