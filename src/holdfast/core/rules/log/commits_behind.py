"""HF410: batches without a commit are taken as done.

Spark runs only the newest plan again. Batches before it that have no commit are taken as done, with
no more than a warning in the log: somebody deleted commits, or a copy was taken while the query
ran. If the sink did not get them, their rows never come.

Means: the newest commit is more than one batch behind the newest plan.
Verdict: a note where the sink says that it holds them; unknown otherwise.
Do: look at the sink: `--sink`; deleting more commits does not make Spark run them again.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.fact import Known
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    planned = evidence.offsets.newest
    committed = evidence.commits.newest if evidence.commits.newest is not None else -1
    if planned is None or committed >= planned - 1 or evidence.saw("HF127"):
        return
    held = all(
        isinstance(sink.last, Known) and sink.last.value >= planned - 1 for sink in evidence.sinks
    )
    yield rule.found(
        "note" if held and evidence.sinks else "unknown",
        f"batches {committed + 1:,} to {planned - 1:,} have no commit, and a start takes them as "
        "done",
        evidence="commits/",
        consequence="" if held else "if the sink did not get them, their rows never come",
        next_action="" if held else "look at what the sink holds of these batches",
    )


RULE = Rule(code="HF410", title="commits/ trails offsets/", check=_check)
