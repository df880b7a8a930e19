"""HF473: a watermark, a window or a join changed in a way that Spark does not notice.

Neither the delay of a watermark nor the size of a window nor the type or condition of a join is
stored. The query goes on, and reads what the old one left as if it were its own: windows of two
sizes lie side by side and overlap, rows that the old join dropped are missing from the new one,
rows that came in time are late.

Means: one of these differs from the last start, with the same operators, keys and types.
Verdict: unsafe for resume and replay.
Do: begin a new checkpoint for the new query; a backfill brings what is missing.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import (
    arrow,
    change_of,
    is_stateful,
    kind_of,
    stateful_words,
    watermark_words,
)
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_NEXT = "keep it as it was, or plan a reset"


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None or not is_stateful(evidence):
        return
    marks = watermark_words(change.before), watermark_words(change.after)
    if None not in marks and marks[0] != marks[1]:
        yield rule.found(
            "unsafe",
            f"watermark: {arrow(*marks)}",
            evidence=change.known_from,
            consequence="not noticed: state is dropped earlier or later than the old query meant, "
            "and rows count as late that were in time",
            next_action=_NEXT,
        )
    before, after = stateful_words(change.before) or (), stateful_words(change.after) or ()
    if [*map(kind_of, before)] != [*map(kind_of, after)]:
        return  # HF471 speaks of that
    for was, now in zip(before, after, strict=True):
        if kind_of(now) == "Join" and was != now:
            yield rule.found(
                "unsafe",
                f"join: {arrow(was, now)}",
                evidence=change.known_from,
                consequence="not noticed where the types of its keys are the same: rows that the "
                "old join dropped or kept are missing or left over",
                next_action=_NEXT,
            )
    for old, new in zip(change.before.shapes or (), change.after.shapes or (), strict=False):
        if (old.kind, old.keys) == (new.kind, new.keys) and old.made_by != new.made_by:
            yield rule.found(
                "unsafe",
                f"keys of {new.kind} are made otherwise: {arrow(old.made_by, new.made_by)}",
                evidence=change.known_from,
                consequence="not noticed: groups of the old and of the new kind lie side by side",
                next_action=_NEXT,
            )


RULE = Rule(code="HF473", title="a change that Spark does not notice", check=_check)
