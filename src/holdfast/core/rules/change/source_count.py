"""HF463: another number of sources than the checkpoint has positions for.

A plan of the first format holds one line for each source, by its place in the query. With another
number of sources Spark refuses to start (an assertion in OffsetSeq.toStreamProgress). The second
format (Spark 4.2) goes by names: a new name begins at its own start, one that is gone is forgotten.
Without names it goes by the same numbers, and a source that was taken out shifts the others.

Means: the query that is to start has more or fewer streaming sources than the newest plan.
Verdict: unsafe for resume and replay; with names, a note; with numbers in the second format,
unknown.
Do: start the query with its old sources, or begin a new checkpoint (a reset).
"""

from collections.abc import Iterator

from holdfast.core.evidence.around import Query
from holdfast.core.evidence.change import arrow, stateful_words, upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.logs import Plan
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding, Weight

_FIRST_FORMAT = 1


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    known = upcoming(evidence)
    if known is None or not isinstance(evidence.plan, Known) or not _is_whole(known.value):
        return
    plan = evidence.plan.value
    stored, wanted = len(plan.sources), len(known.value.sources)
    if stored == wanted or (plan.version != _FIRST_FORMAT and not stored):
        return
    weight, consequence = _weight(plan)
    yield rule.found(
        weight,
        f"number of sources: {arrow(stored, wanted)}",
        evidence=f"{evidence.plan.origin} and {known.origin}",
        consequence=consequence,
        next_action="start it with its old sources, or plan a reset",
    )


def _is_whole(query: Query) -> bool:
    """A declaration names one source; a transform may add its own, which only a plan shows."""
    return stateful_words(query) is not None or query.transform is None


def _weight(plan: Plan) -> tuple[Weight, str]:
    if plan.version == _FIRST_FORMAT:
        return "unsafe", "Spark refuses to start: positions and sources do not pair"
    if all(span.name is not None and not span.name.isdigit() for span in plan.sources):
        return "note", "a new source begins at its own start; one that is gone is forgotten"
    return "unknown", "sources go by their numbers, and may take over each other's positions"


RULE = Rule(code="HF463", title="another number of sources", check=_check)
