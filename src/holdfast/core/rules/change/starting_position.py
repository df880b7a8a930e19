"""HF468: where to begin was changed, and is not looked at any more.

startingOffsets, startingVersion, startingTimestamp and their like count for the first batch of a
new checkpoint. Afterwards the stored position counts, and a changed option does nothing at all.
Nobody gets an error who expected a replay by it.

Means: such an option differs from the last start.
Verdict: a note: it is ignored.
Do: to read from another position plan a replay.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import arrow, change_of, differing
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None or evidence.offsets.newest is None:
        return
    before = {each.position: each for each in change.before.sources}
    for source in change.after.sources:
        old = before.get(source.position)
        if old is None or not old.options:
            continue
        for name, (was, now) in differing(old.options, source.options).items():
            if name.startswith("starting"):
                yield rule.found(
                    "note",
                    f"source {source.position}, {name}: {arrow(was, now)}",
                    evidence=change.known_from,
                    consequence="ignored: the stored position counts",
                    next_action="to read from another position plan a replay",
                )


RULE = Rule(code="HF468", title="where to begin is not looked at any more", check=_check)
