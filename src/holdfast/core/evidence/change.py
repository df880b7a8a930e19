"""Two queries side by side: the one that ran, and the one that is to start."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.core.evidence.around import Query
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.guards.repeatable_transform import NOT_LOOKED_AT as CUT_SHORT

WATERMARK = "EventTimeWatermark"
"""Keeps no state of its own, and decides when that of others is dropped."""

_LIST = re.compile(r"\s*,\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Before and after, and where both are known from."""

    before: Query
    after: Query
    known_from: str


def change_of(evidence: Evidence) -> Change | None:
    """What ran and what is to start, where both are known and a batch was ever planned."""
    last, upcoming = evidence.last_query, evidence.next_query
    if not (isinstance(last, Known) and isinstance(upcoming, Known) and evidence.has_batches):
        return None
    return Change(
        before=last.value, after=upcoming.value, known_from=f"{last.origin} and {upcoming.origin}"
    )


def upcoming(evidence: Evidence) -> Known[Query] | None:
    """What is to start on a checkpoint that has batches, None where nobody said."""
    known = evidence.next_query
    return known if isinstance(known, Known) and evidence.has_batches else None


def stateful_words(query: Query) -> tuple[str, ...] | None:
    """Stateful operators in the order of the plan; None where it was not looked through."""
    if query.stateful is None or CUT_SHORT in query.stateful:
        return None
    return tuple(word for word in query.stateful if kind_of(word) != WATERMARK)


def watermark_words(query: Query) -> tuple[str, ...] | None:
    """Watermarks in the order of the plan; None where it was not looked through."""
    if query.stateful is None or CUT_SHORT in query.stateful:
        return None
    return tuple(word for word in query.stateful if kind_of(word) == WATERMARK)


def kind_of(word: str) -> str:
    """`Aggregate` of `Aggregate: sensor`."""
    return word.partition(":")[0]


def is_stateful(evidence: Evidence) -> bool:
    """Whether anything says that the query keeps state: the checkpoint, or either plan."""
    facts = (evidence.last_query, evidence.next_query)
    queries = [fact.value for fact in facts if isinstance(fact, Known)]
    return evidence.is_stateful or any(stateful_words(query) for query in queries)


def in_list(text: str | None) -> frozenset[str]:
    """`a, b` as its parts."""
    return frozenset(part for part in _LIST.split((text or "").strip()) if part)


def option(options: Mapping[str, str], name: str) -> str | None:
    """An option of a source by its name; Spark does not care for capitals."""
    wanted = name.lower()
    return next((value for key, value in options.items() if key.lower() == wanted), None)


def differing(
    before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, tuple[str | None, str | None]]:
    """Options that are not the same, by their names in small letters: (before, after)."""
    one = {key.lower(): value for key, value in before.items()}
    other = {key.lower(): value for key, value in after.items()}
    names = sorted({*one, *other})
    return {n: (one.get(n), other.get(n)) for n in names if one.get(n) != other.get(n)}


def arrow(before: object, after: object) -> str:
    """The exact difference, as every finding writes it."""
    return f"{_text(before)} -> {_text(after)}"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{'; '.join(map(str, value))}]"
    return "(none)" if value is None else str(value)
