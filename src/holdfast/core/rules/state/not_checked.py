"""HF423: not every state file was looked at.

On an object store, or where there are very many files, only what is cheap is read. A state file
that is damaged and was not read would stop the query when it is loaded.

Means: the query is stateful, and the reading says that it did not check everything.
Verdict: unknown for resume and replay.
Do: `--verify` reads every file.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if not evidence.is_stateful:
        return
    for seen in evidence.saw("HF121"):
        yield rule.found(
            "unknown",
            seen.message,
            evidence=seen.path or "state",
            consequence="a damaged file that was not read would stop the query",
            next_action="judge again with --verify",
        )


RULE = Rule(code="HF423", title="state was not looked at whole", check=_check)
