"""HF401: Spark cannot start from this checkpoint.

The newest plan, the one before it, the newest commit or the query id cannot be read or is gone, or
the state that the next batch needs cannot be loaded. Every version of Spark looks at those first
(MicroBatchExecution.populateStartOffsets) and fails with an error; nothing is lost by trying, but
nothing goes on either. Deleting the checkpoint is no cure: it makes the sink write rows twice, or
drop them.

Means: a file that Spark needs for its first step is missing or damaged.
Verdict: unsafe for resume and replay.
Do: `holdfast show` names the file; bring it back from a backup, or plan a repair.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if evidence.restart_kind == "refused":
        yield rule.found(
            "unsafe",
            evidence.restart_text,
            evidence=_where(evidence),
            consequence="the query does not start; nothing is read or written",
            next_action=f"holdfast show {evidence.location}",
        )


def _where(evidence: Evidence) -> str:
    errors = [seen.path for seen in evidence.seen if seen.severity == "error" and seen.path]
    return errors[0] if errors else "offsets/ and commits/"


RULE = Rule(code="HF401", title="Spark cannot start from this checkpoint", check=_check)
