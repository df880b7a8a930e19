"""HF421: state of batches that were never planned here lies in state/.

The logs were cut back, or an older copy of them was restored, and state/ was not. The state store
loads the newest snapshot that it finds by listing, so state format 1 goes on from values of batches
that, as far as the logs say, never happened: counts come out wrong, without any error. Format 2
goes by the ids in commits/ and passes over such files.

Means: a state file has a higher version than the batch after the newest plan would write.
Verdict: unsafe with state format 1 or where the format is not known; a note with format 2.
Do: put the later state files aside, in every partition and store, before any start.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    newest = evidence.offsets.newest if evidence.offsets.newest is not None else -1
    for operator in evidence.operators:
        version = operator.newest_version
        if version is None or version <= newest + 1:
            continue
        sound = evidence.state_format == 2
        yield rule.found(
            "note" if sound else "unsafe",
            f"operator {operator.operator_id} has state up to version {version:,}, and the newest "
            f"plan writes version {newest + 1:,}",
            evidence=f"state/{operator.operator_id}",
            consequence=""
            if sound
            else "a start may load state of batches that the logs do not know: wrong values, no "
            "error",
            next_action="" if sound else "put state files of later versions aside first",
        )


RULE = Rule(code="HF421", title="state of a later time line", check=_check)
