"""HF402: commits/ is ahead of offsets/.

Somebody removed plans and left commits. Spark runs the newest plan that is left into the sink once
more and then fails, because the commit that it wants to write is there already
(CONCURRENT_STREAM_LOG_UPDATE). A sink that remembers batches drops the rerun; one that does not
gets its rows twice, and the query is down all the same.

Means: the newest commit has a higher number than the newest plan, or there are commits and no plan.
Verdict: unsafe for resume and replay.
Do: restore the plans from a backup; cutting commits/ to match must look at the sink as well.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if evidence.restart_kind == "rerun-then-fail":
        newest = "none" if evidence.offsets.newest is None else f"{evidence.offsets.newest:,}"
        yield rule.found(
            "unsafe",
            f"the newest commit is {evidence.commits.newest:,} and the newest plan is {newest}",
            evidence="offsets/ and commits/",
            consequence=evidence.restart_text,
            next_action="restore offsets/ from a backup before any start",
        )


RULE = Rule(code="HF402", title="commits/ is ahead of offsets/", check=_check)
