"""HF464: a source is of another kind than the position that it would begin at.

Positions are stored without the kind of their source. A Kafka source that is handed the position of
a file source fails to parse it, mostly; where both have the same shape (a bare number) it goes on
from a number that means something else, without a word.

Means: the provider of a source cannot have written the stored offset at its place.
Verdict: unsafe for resume and replay.
Do: start it with the old source, or begin a new checkpoint (a reset).
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import arrow, upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.source_place import kind_of_provider
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_UNTOLD = ("opaque", "python", "unknown")
"""Shapes of offsets that several providers may write."""


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    known = upcoming(evidence)
    if known is None or not isinstance(evidence.plan, Known):
        return
    stored = {span.position: span for span in evidence.plan.value.sources}
    for source in known.value.sources:
        span, kind = stored.get(source.position), kind_of_provider(source.provider)
        if span is None or span.end is None or kind is None:
            continue
        if span.kind in _UNTOLD or span.kind == kind:
            continue
        yield rule.found(
            "unsafe",
            f"source {source.position}: {arrow(span.kind, source.provider)}",
            evidence=f"{evidence.plan.origin} and {known.origin}",
            consequence="Spark fails to read the position, or goes on from one that means "
            "something else",
            next_action="start it with the old source, or plan a reset",
        )


RULE = Rule(code="HF464", title="a source is of another kind", check=_check)
