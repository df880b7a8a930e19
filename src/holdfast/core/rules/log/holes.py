"""HF412: batches are missing in the middle of a log.

A start reads the two newest plans and the newest commit, and nothing before them; a hole further
back does not bear on it. A replay cannot begin where the plan is missing.

Means: ids between the oldest and the newest have no file.
Verdict: a note for resume; unsafe for a replay that begins at or before the hole.
Do: replay from a batch after the hole, or restore the files.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    log = evidence.offsets
    if not log.hole_count or evidence.saw("HF127"):
        return
    begin = evidence.intent.from_batch
    newest = max(log.holes, default=0)
    bad = goal == "replay" and (begin is None or begin <= newest + 1)
    yield rule.found(
        "unsafe" if bad and begin is not None else "unknown" if bad else "note",
        f"{log.hole_count:,} batches have no plan, the newest of them {newest:,}",
        evidence="offsets/",
        consequence="a replay cannot begin there" if goal == "replay" else "",
        next_action=f"replay from batch {newest + 2:,} or later" if bad else "",
    )


RULE = Rule(code="HF412", title="a log has holes", check=_check)
