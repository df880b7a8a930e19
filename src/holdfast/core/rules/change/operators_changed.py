"""HF471: a stateful operator was added, taken out, or stands in another order.

State lies in numbered folders, one for each stateful operator in the order of the plan. With other
operators the numbers mean something else. Spark 4.0 and newer compare the names and refuse
(STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA) where the checkpoint has them. An operator
that is added to a query without state finds none to load and fails. One that was taken out leaves
what it held: open windows and rows that waited are never written, without an error.

Means: the plan that is to start has other stateful operators than the checkpoint or the last start.
Verdict: unsafe for resume and replay.
Do: start the old query to its end first, and begin a new checkpoint for the new one.
"""

from collections import Counter
from collections.abc import Iterator

from holdfast.core.evidence.around import Query
from holdfast.core.evidence.change import arrow, change_of, stateful_words, upcoming
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.evidence.operator_family import (
    JOIN,
    LIMIT,
    family_of_name,
    family_of_word,
)
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    known = upcoming(evidence)
    after = _families(known.value) if known is not None else None
    if known is None or after is None:
        return
    before, where = _before(evidence)
    if before is None:
        if len(after) != len(evidence.operators):
            difference = arrow(len(evidence.operators), len(after))
            yield _found(rule, f"number of stateful operators: {difference}", "state/", evidence)
        return
    if LIMIT not in before and known.value.output_mode == "complete":
        after = tuple(each for each in after if each != LIMIT)  # it keeps nothing in this mode
    if Counter(before) != Counter(after):
        yield _found(rule, f"stateful operators: {arrow(before, after)}", where, evidence)
    elif before != after and JOIN not in before:
        # Below a join both sides are numbered, in an order that only the physical plan has.
        message = f"stateful operators in another order: {arrow(before, after)}"
        yield _found(rule, message, where, evidence)


def _found(rule: Rule, message: str, where: str, evidence: Evidence) -> RuleFinding:
    held = evidence.is_stateful
    return rule.found(
        "unsafe",
        message,
        evidence=where,
        consequence="Spark refuses to start, or reads the state of one operator as another's; "
        "what an operator held that is gone is never written"
        if held
        else "there is no state for it to load: the first batch fails",
        next_action="let the old query finish, and begin a new checkpoint for the new one",
    )


def _families(query: Query) -> tuple[str, ...] | None:
    words = stateful_words(query)
    return None if words is None else tuple(family_of_word(word) for word in words)


def _before(evidence: Evidence) -> tuple[tuple[str, ...] | None, str]:
    change = change_of(evidence)
    ran = _families(change.before) if change is not None else None
    if change is not None and ran is not None:
        return ran, change.known_from
    stored = sorted(evidence.operators, key=lambda each: each.operator_id)
    names = [each.name.value for each in stored if isinstance(each.name, Known)]
    if len(names) != len(stored):
        return None, "state/"
    # Folders are numbered from the sources up, and a plan is told from the top.
    return tuple(family_of_name(name) for name in reversed(names)), "state/*/_metadata"


RULE = Rule(code="HF471", title="other stateful operators", check=_check)
