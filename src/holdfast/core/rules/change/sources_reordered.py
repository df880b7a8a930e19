"""HF465: the same sources stand in another order, and would swap their positions.

Spark pairs sources and positions by their order in the query, and checks nothing but their number.
Two folders or two topics that change places each go on from where the other one was: rows are left
out of one and read twice from the other, without an error.

Means: every source of the last start is there again, at another place.
Verdict: unsafe for resume and replay.
Do: put the sources back in their old order (a union and a join read the left side first).
"""

from collections.abc import Iterator

from holdfast.core.evidence.around import Query
from holdfast.core.evidence.change import arrow, change_of, upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.source_place import kind_of_provider, place_of, topics_in, topics_of
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    pair = _by_last_start(evidence) or _by_topics(evidence)
    if pair is None:
        return
    before, after, known_from = pair
    if len(before) < 2 or before == after or sorted(before) != sorted(after):
        return
    yield rule.found(
        "unsafe",
        f"the sources change places: {arrow(before, after)}",
        evidence=known_from,
        consequence="each goes on from the other's position: rows are left out of one and read "
        "twice from the other, without an error",
        next_action="put the sources back in their old order",
    )


def _by_last_start(evidence: Evidence) -> tuple[tuple[str, ...], tuple[str, ...], str] | None:
    change = change_of(evidence)
    if change is None:
        return None
    before, after = _places(change.before), _places(change.after)
    return None if before is None or after is None else (before, after, change.known_from)


def _places(query: Query) -> tuple[str, ...] | None:
    places = [place_of(source) for source in query.sources]
    if any(place is None for place in places):
        return None
    kinds = [kind_of_provider(source.provider) or source.provider for source in query.sources]
    return tuple(f"{kind} {place}" for kind, place in zip(kinds, places, strict=True))


def _by_topics(evidence: Evidence) -> tuple[tuple[str, ...], tuple[str, ...], str] | None:
    """Kafka's positions name their topics, so that they tell without any record of ours."""
    known = upcoming(evidence)
    if known is None or not isinstance(evidence.plan, Known):
        return None
    stored = [topics_in(span) for span in evidence.plan.value.sources]
    wanted = [topics_of(source) for source in known.value.sources]
    before = tuple(",".join(sorted(each)) for each in stored if each is not None)
    after = tuple(",".join(sorted(each)) for each in wanted if each is not None)
    if len(before) != len(stored) or len(after) != len(wanted):
        return None
    return before, after, f"{evidence.plan.origin} and {known.origin}"


RULE = Rule(code="HF465", title="the sources change places", check=_check)
