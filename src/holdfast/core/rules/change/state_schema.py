"""HF472: the keys or the values of a stateful operator changed.

Every row of state holds the key columns and what is kept for them. Spark compares their number and
types with what is stored (STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE, STATE_STORE_VALUE_SCHEMA_…) and
refuses where they differ. It does not compare names, nor which function made a value: a sum that
becomes a maximum of the same type goes on from the old sum, without an error.

Means: grouping keys, deduplication columns, aggregate functions or their types differ from the last
start.
Verdict: unsafe for resume and replay.
Do: begin a new checkpoint for the new query (a reset), or keep keys and values as they were.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import Change, arrow, change_of, kind_of, stateful_words
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.running.state_shape import StateShape
from holdfast.core.verdict import RuleFinding

_REFUSED = "Spark refuses to start: the stored schema is another one"
_UNNOTICED = "Spark compares only number and types: it goes on with state that means something else"


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None:
        return
    before, after = stateful_words(change.before), stateful_words(change.after)
    if before is None or after is None or [*map(kind_of, before)] != [*map(kind_of, after)]:
        return  # HF471 speaks of that
    shapes = _shapes(change, len(after))
    for index, (was, now) in enumerate(zip(before, after, strict=True)):
        if kind_of(now) == "Join":
            continue
        old, new = shapes[index] if shapes else (None, None)
        if old is not None and new is not None and (old.keys, old.values) != (new.keys, new.values):
            difference = _difference(old, new)
            consequence = _REFUSED if _types(old) != _types(new) else _UNNOTICED
        elif was != now:
            difference, consequence = (
                arrow(was, now),
                f"{_REFUSED}; or, with the same types, "
                + ("it goes on with state that means something else"),
            )
        else:
            continue
        yield rule.found(
            "unsafe",
            f"state of {kind_of(now)}: {difference}",
            evidence=change.known_from,
            consequence=consequence,
            next_action="keep keys and values as they were, or plan a reset",
        )


def _shapes(change: Change, count: int) -> tuple[tuple[StateShape, StateShape], ...]:
    old, new = change.before.shapes, change.after.shapes
    if old is None or new is None or len(old) != count or len(new) != count:
        return ()
    return tuple(zip(old, new, strict=True))


def _difference(old: StateShape, new: StateShape) -> str:
    parts = []
    if old.keys != new.keys:
        parts.append(f"keys {arrow(old.keys, new.keys)}")
    if old.values != new.values:
        parts.append(f"values {arrow(old.values, new.values)}")
    return ", ".join(parts)


def _types(shape: StateShape) -> tuple[list[str], list[str]]:
    return (
        [text.rpartition(": ")[2] for text in shape.keys],
        [text.rpartition(": ")[2] for text in shape.values],
    )


RULE = Rule(code="HF472", title="keys or values of state changed", check=_check)
