"""HF406: a file cannot be read as what it should be.

What a start reads first is judged by the rule that says whether Spark starts at all (HF401). This
rule is about every other file that is damaged: the private log of a source, operator metadata, a
schema. Whether Spark stumbles over it depends on the file, and nobody has looked inside.

Means: the reading came upon an error that no other rule speaks about.
Verdict: unknown for resume and replay.
Do: `holdfast show` names the file; restore it from a backup.
"""

from collections.abc import Iterator

from holdfast.core.evidence.evidence import Evidence
from holdfast.core.goal import Goal
from holdfast.core.rules.rule import Rule
from holdfast.core.verdict import RuleFinding

_SPOKEN_FOR = frozenset(
    {"HF102", "HF103", "HF106", "HF107", "HF109", "HF110", "HF111", "HF118", "HF126", "HF128"}
    | {"HF132", "HF133"}
)
"""Codes about which another rule speaks."""


def _check(rule: Rule, evidence: Evidence, goal: Goal) -> Iterator[RuleFinding]:
    if evidence.restart_kind == "refused":
        return  # HF401 says it already
    for seen in evidence.seen:
        is_log = seen.path.startswith(("offsets", "commits", "metadata"))
        altered_state = seen.code in ("HF103", "HF128") and not is_log
        if seen.severity == "error" and (seen.code not in _SPOKEN_FOR or altered_state):
            yield rule.found(
                "unknown",
                f"{seen.path or 'a file'}: {seen.message}",
                evidence=seen.path or evidence.location,
                consequence="Spark may stumble over it, or go on with less than it should",
                next_action=f"holdfast show {evidence.location} --verify",
            )


RULE = Rule(code="HF406", title="a file cannot be read", check=_check)
