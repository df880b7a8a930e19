"""HF475: the output mode changed.

The mode is not stored (but for transformWithState, which refuses). It decides what leaves state:
append writes a group once, when it is closed, update writes each change, complete writes all of it
at every batch. After a change the sink holds rows of both kinds. Without state append and update
are the same.

Means: another output mode than at the last start.
Verdict: unsafe for resume and replay of a stateful query, else a note.
Do: begin a new checkpoint and a new table for the new mode.
"""

from collections.abc import Iterator

from holdfast.core.evidence.change import arrow, change_of, is_stateful
from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    change = change_of(evidence)
    if change is None or None in (change.before.output_mode, change.after.output_mode):
        return
    if change.before.output_mode == change.after.output_mode:
        return
    stateful = is_stateful(evidence)
    yield rule.found(
        "unsafe" if stateful else "note",
        f"output mode: {arrow(change.before.output_mode, change.after.output_mode)}",
        evidence=change.known_from,
        consequence="not noticed: groups are written again, or never, and the sink holds rows of "
        "both kinds"
        if stateful
        else "the same rows, as there is no state",
        next_action="keep the mode, or begin a new checkpoint and table" if stateful else "",
    )


RULE = Rule(code="HF475", title="another output mode", check=_check)
